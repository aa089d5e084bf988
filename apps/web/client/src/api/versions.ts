import { request, ROOT } from './http';
import { encodePath, filesOf, propfind, textOf, type Entry } from './webdav';

/** An earlier content of a file. */
export interface Version {
  /** Address of its content. */
  readonly address: string;
  /** Milliseconds since 1970. */
  readonly modifiedAt: number;
  readonly size: number;
  /** Name of the author; empty if not known. */
  readonly author: string;
}

const NAMESPACES = 'xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns"';
const LISTED = `<?xml version="1.0"?><d:propfind ${NAMESPACES}><d:prop><d:getlastmodified/><d:getcontentlength/><oc:meta-version-edited-by-name/></d:prop></d:propfind>`;

/** Versions of a file, the newest first. */
export async function listVersions({ id }: Entry): Promise<Version[]> {
  const [, ...versions] = await propfind(`/remote.php/dav/meta/${encodeURIComponent(id)}/v`, LISTED);
  return versions.map((element) => ({
    address: new URL(textOf(element, 'href'), location.href).pathname,
    modifiedAt: Date.parse(textOf(element, 'getlastmodified')),
    size: Number(textOf(element, 'getcontentlength')),
    author: textOf(element, 'meta-version-edited-by-name'),
  }));
}

/** Gives the file the content of a version; the old content becomes a version. */
export async function restoreVersion(uid: string, { path }: Entry, { address }: Version): Promise<void> {
  const destination = `${ROOT}${filesOf(uid)}${encodePath(path)}`;
  await request(address.slice(ROOT.length), { method: 'COPY', headers: { destination } });
}
