/** Names of properties that partners are asked for: namespace and name, separated by a space. */
const DAV = 'DAV:';
const OC = 'http://owncloud.org/ns';
const OCS = 'http://open-collaboration-services.org/ns';

const ASKED = [
  [DAV, 'getetag'],
  [DAV, 'getlastmodified'],
  [DAV, 'getcontentlength'],
  [DAV, 'getcontenttype'],
  [DAV, 'resourcetype'],
  [OC, 'permissions'],
  [OC, 'size'],
  [OCS, 'share-permissions'],
] as const;

/** Body of the PROPFIND that is sent to partners. Source: federation-facts 8. */
export const PROPFIND_BODY = `<?xml version="1.0" encoding="utf-8"?><propfind xmlns="${DAV}"><prop>${ASKED.map(
  ([namespace, name]) => `<${name} xmlns="${namespace}"/>`,
).join('')}</prop></propfind>`;

/** Values of an entry's properties, by `namespace name`. */
export type DavProperties = ReadonlyMap<string, string>;

/** An entry, as its properties describe it; they do not contain its path. */
export interface DescribedEntry {
  readonly kind: 'file' | 'folder';
  /** In bytes. */
  readonly size: number;
  readonly mtime: Date;
  /** Without quotes. */
  readonly etag: string;
  /** null if it is not sent, and for folders. */
  readonly mimetype: string | null;
  /** Bits; null if they are not sent. */
  readonly permissions: number | null;
}

/** Missing or unreadable properties become the year 1970, size 0, and an etag made of both. */
export function describeEntry(properties: DavProperties, isFolder: boolean): DescribedEntry {
  const kind = isFolder ? 'folder' : 'file';
  const text = (namespace: string, name: string): string =>
    properties.get(`${namespace} ${name}`)?.trim() ?? '';
  const [length, total] = [readSize(text(DAV, 'getcontentlength')), readSize(text(OC, 'size'))];
  const size = (isFolder ? total : (length ?? total)) ?? 0;
  const mtime = readTime(text(DAV, 'getlastmodified')) ?? new Date(0);
  return {
    kind,
    size,
    mtime,
    etag: readEtag(text(DAV, 'getetag')) ?? `${mtime.getTime().toString(16)}-${size.toString(16)}`,
    mimetype: isFolder ? null : readMimetype(text(DAV, 'getcontenttype')),
    permissions: readPermissions(properties, kind),
  };
}

/** The etag without quotes and without the mark of weak ones; undefined if it could not be sent back. */
export function readEtag(header: string): string | undefined {
  const bare = header
    .trim()
    .replace(/^W\//, '')
    .replace(/^"(.*)"$/, '$1');
  return /^[\x21\x23-\x7e]{1,255}$/.test(bare) ? bare : undefined;
}

/** A date of an HTTP header or of WebDAV; undefined for none, and for impossible years. */
export function readTime(text: string): Date | undefined {
  const time = Date.parse(text);
  return time >= 0 && time < 253_402_300_800_000 ? new Date(time) : undefined;
}

function readSize(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function readMimetype(text: string): string | null {
  const type = text.split(';')[0]!.trim().toLowerCase();
  return /^[\w.+-]{1,63}\/[\w.+-]{1,127}$/.test(type) ? type : null;
}

const READ = 1;
const LETTERS = {
  file: { W: 2, D: 8, R: 16 },
  folder: { N: 2, V: 2, C: 4, K: 4, D: 8, R: 16 },
} as const satisfies Record<string, Readonly<Record<string, number>>>;

/** Reads `share-permissions` if it was sent; otherwise the letters. An empty text of letters means read only. */
function readPermissions(properties: DavProperties, kind: 'file' | 'folder'): number | null {
  const bits = properties.get(`${OCS} share-permissions`)?.trim() ?? '';
  if (/^\d{1,2}$/.test(bits) && Number(bits) <= 31) return Number(bits);
  const letters = properties.get(`${OC} permissions`);
  if (letters === undefined || !/^[A-Z]{0,32}$/.test(letters.trim())) return null;
  const meanings: Readonly<Record<string, number>> = LETTERS[kind];
  return [...letters.trim()].reduce((sum, letter) => sum | (meanings[letter] ?? 0), READ);
}
