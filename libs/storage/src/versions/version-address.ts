import { decodeSegment } from '../webdav/dav-path';
import { DavFailure } from '../webdav/dav-failure';

/** An address about the versions of a file, in one of the two forms that clients know. */
export interface VersionAddress {
  /** ownCloud's `meta/{file id}/v/{version}`, or Nextcloud's `versions/{user}/versions/{file id}/{version}`. */
  readonly form: 'meta' | 'versions';
  /** The user in the address; undefined in the form without a user. */
  readonly uid: string | undefined;
  readonly fileId: number;
  /** Resource at the address; with `meta` it can be the file itself. */
  readonly of: 'file' | 'versions' | 'version';
  /** 0 unless the resource is a version. */
  readonly versionId: number;
  /** Percent-encoded address of the collection of the file's versions. */
  readonly base: string;
}

const ID = /^[1-9]\d{0,14}$/;
/** `OC-FileId`, as clients store it: padded with zeros, and followed by the id of the instance. */
const FILE_ID = /^0*([1-9]\d{0,14})(?:oc[0-9a-z]{1,20})?$/;

/** Reads the raw path of a request. @throws DavFailure `not-found`, `method-not-allowed`, `bad-request` */
export function parseVersionAddress(rawPath: string): VersionAddress {
  const encoded = rawPath.split('/').filter((segment) => segment !== '');
  return encoded[2] === 'meta' ? metaAddress(encoded) : versionsAddress(encoded);
}

/** The user, if a raw path is the destination for restoring versions in Nextcloud; undefined for any other path. */
export function restoreTargetOf(rawPath: string): string | undefined {
  const [entry, service, collection, user, part, target, ...more] = rawPath
    .split('/')
    .filter((segment) => segment !== '');
  const isTarget =
    entry === 'remote.php' && service === 'dav' && collection === 'versions' && part === 'restore' && target;
  return isTarget && more.length === 0 && user !== undefined ? decodeSegment(user) : undefined;
}

function metaAddress(encoded: readonly string[]): VersionAddress {
  const [id, v, version, ...more] = encoded.slice(3);
  if (id === undefined) throw new DavFailure('method-not-allowed', 'Files are not listed here');
  const fileId = FILE_ID.exec(id)?.[1];
  if (fileId === undefined || (v !== undefined && v !== 'v') || more.length > 0) throw unknown();
  const of = v === undefined ? 'file' : version === undefined ? 'versions' : 'version';
  const base = `/${[...encoded.slice(0, 4), 'v'].join('/')}`;
  return { form: 'meta', uid: undefined, fileId: Number(fileId), of, versionId: versionIn(version), base };
}

function versionsAddress(encoded: readonly string[]): VersionAddress {
  const [user, part, id, version, ...more] = encoded.slice(3);
  if (user === undefined) throw new DavFailure('method-not-allowed', 'Users are not listed here');
  if (part !== 'versions' || id === undefined || !ID.test(id) || more.length > 0) throw unknown();
  const of = version === undefined ? 'versions' : 'version';
  const base = `/${encoded.slice(0, 6).join('/')}`;
  const uid = decodeSegment(user);
  return { form: 'versions', uid, fileId: Number(id), of, versionId: versionIn(version), base };
}

function versionIn(text: string | undefined): number {
  if (text === undefined) return 0;
  if (!ID.test(text)) throw unknown();
  return Number(text);
}

const unknown = (): DavFailure => new DavFailure('not-found', 'There is no such file or version');
