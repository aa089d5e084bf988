import { request, RequestFailed, ROOT } from './http';

/** A file or folder of the signed-in account. */
export interface Entry {
  readonly id: string;
  /** Decoded path from the account's root, such as `/photos/a.jpg`. */
  readonly path: string;
  readonly name: string;
  readonly isFolder: boolean;
  /** Media type such as `image/png`; empty for a folder. */
  readonly mediaType: string;
  /** In bytes; for a folder, those of everything in it. */
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly modifiedAt: number;
  /** Letters of `oc:permissions`: S shared with me, R may share, M mount, D delete, N V rename and move, W write, C K create. */
  readonly permissions: string;
  /** Numbers of `oc:share-types`. */
  readonly shareTypes: readonly number[];
}

/** A deleted file or folder. */
export interface TrashedEntry {
  /** Name in its address in the trash bin. */
  readonly key: string;
  readonly name: string;
  readonly isFolder: boolean;
  /** Former path, without a leading slash. */
  readonly location: string;
  /** Milliseconds since 1970. */
  readonly deletedAt: number;
  readonly size: number;
}

export const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');
export const filesOf = (uid: string): string => `/remote.php/dav/files/${encodeURIComponent(uid)}`;
const trashOf = (uid: string): string => `/remote.php/dav/trashbin/${encodeURIComponent(uid)}`;

const NAMESPACES = 'xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns" xmlns:nc="http://nextcloud.org/ns"';
const LISTED = `<?xml version="1.0"?><d:propfind ${NAMESPACES}><d:prop><d:resourcetype/><d:getlastmodified/><d:getcontenttype/><oc:fileid/><oc:size/><oc:permissions/><oc:share-types/></d:prop></d:propfind>`;
const TRASHED = `<?xml version="1.0"?><d:propfind ${NAMESPACES}><d:prop><d:resourcetype/><oc:size/><nc:trashbin-filename/><nc:trashbin-original-location/><nc:trashbin-deletion-time/></d:prop></d:propfind>`;

/** Address of a file or folder over WebDAV. @param path decoded, from the account's root */
export const fileAddress = (uid: string, path: string): string => `${ROOT}${filesOf(uid)}${encodePath(path)}`;

/** Address for a form that downloads several entries of a folder as one archive. */
export const severalAddress = (folder: string): string =>
  `${ROOT}/index.php/apps/files/ajax/download.php?${new URLSearchParams({ dir: folder || '/' })}`;

/** Address for downloading a file, or a folder as an archive. */
export const downloadAddress = (uid: string, { path, isFolder }: Pick<Entry, 'path' | 'isFolder'>): string =>
  `${fileAddress(uid, path)}${isFolder ? '?accept=zip' : ''}`;

/** Milliseconds of reading between two pauses in which the browser draws. */
const DRAWN_EVERY_MS = 200;

/**
 * Entries of a folder.
 * @param onPart gets the entries so far, repeatedly while more arrive
 * @throws RequestFailed 404 if there is no such folder
 */
export async function listFolder(
  uid: string,
  path: string,
  onPart: (entries: readonly Entry[]) => void = () => undefined,
): Promise<Entry[]> {
  const entries: Entry[] = [];
  let isSelf = true;
  let drawnAt = -Infinity;
  for await (const part of propfindParts(filesOf(uid) + encodePath(path), LISTED)) {
    const listed = isSelf ? part.slice(1) : part;
    isSelf = false;
    for (const element of listed) entries.push(entryOf(element, uid));
    if (performance.now() - drawnAt < DRAWN_EVERY_MS) continue;
    onPart(entries);
    // The browser draws nothing while parts arrive faster than they are read.
    await new Promise((drawn) => setTimeout(drawn));
    drawnAt = performance.now();
  }
  return entries;
}

export async function makeFolder(uid: string, path: string): Promise<void> {
  await request(filesOf(uid) + encodePath(path), { method: 'MKCOL' });
}

/** Moves the entry to the trash bin; a received share is declined. */
export async function remove(uid: string, path: string): Promise<void> {
  await request(filesOf(uid) + encodePath(path), { method: 'DELETE' });
}

/** Renames or moves. @throws RequestFailed 412 if the new place is taken */
export async function move(uid: string, from: string, to: string): Promise<void> {
  const headers = { destination: `${ROOT}${filesOf(uid)}${encodePath(to)}`, overwrite: 'F' };
  await request(filesOf(uid) + encodePath(from), { method: 'MOVE', headers });
}

/** Deleted entries of the account, the latest first. */
export async function listTrash(uid: string): Promise<TrashedEntry[]> {
  const [, ...entries] = await propfind(`${trashOf(uid)}/trash`, TRASHED);
  return entries.map(trashedOf).sort((one, other) => other.deletedAt - one.deletedAt);
}

/** Puts a deleted entry back in its former place. */
export async function restore(uid: string, { key, name }: TrashedEntry): Promise<void> {
  const headers = { destination: `${ROOT}${trashOf(uid)}/restore/${encodeURIComponent(name)}` };
  await request(`${trashOf(uid)}/trash/${encodeURIComponent(key)}`, { method: 'MOVE', headers });
}

/** Permanently deletes one entry of the trash bin, or all of them. */
export async function erase(uid: string, entry?: TrashedEntry): Promise<void> {
  await request(`${trashOf(uid)}/trash${entry ? `/${encodeURIComponent(entry.key)}` : ''}`, {
    method: 'DELETE',
  });
}

const END_OF_RESPONSE = '</d:response>';
/** Number of characters that are parsed at a time, so that the first rows of a long list appear at once. */
const PART_CHARACTERS = 200_000;

/** Lists a resource and its children, one element for each. */
export async function propfind(path: string, body: string): Promise<Element[]> {
  const all: Element[] = [];
  for await (const part of propfindParts(path, body)) all.push(...part);
  return all;
}

/** The same in parts, as they arrive. */
async function* propfindParts(path: string, body: string): AsyncGenerator<Element[]> {
  const headers = { depth: '1', 'content-type': 'application/xml' };
  const reply = await request(path, { method: 'PROPFIND', headers, body });
  const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader();
  let [opening, text] = ['', ''];
  for (;;) {
    const { done, value = '' } = await reader.read();
    text += value;
    const end = text.lastIndexOf(END_OF_RESPONSE) + END_OF_RESPONSE.length;
    if (done) break;
    if (end < PART_CHARACTERS) continue;
    yield responsesIn(`${opening}${text.slice(0, end)}</d:multistatus>`);
    if (opening === '') opening = text.slice(0, text.indexOf('<d:response>'));
    text = text.slice(end);
  }
  yield responsesIn(opening + text);
}

/** @throws RequestFailed for an incomplete or invalid answer */
function responsesIn(text: string): Element[] {
  const document = new DOMParser().parseFromString(text, 'application/xml');
  if (document.getElementsByTagName('parsererror').length > 0) throw new RequestFailed(0, 'no-answer', false);
  return [...document.getElementsByTagNameNS('DAV:', 'response')];
}

/** Text of the first property with this name. */
export const textOf = (element: Element, name: string): string =>
  element.getElementsByTagNameNS('*', name)[0]?.textContent ?? '';

const pathOf = (element: Element, base: string): string => {
  const path = decodeURIComponent(new URL(textOf(element, 'href'), location.href).pathname);
  return path.slice(decodeURIComponent(ROOT + base).length).replace(/\/$/, '');
};

const isFolder = (element: Element): boolean =>
  element.getElementsByTagNameNS('DAV:', 'collection').length > 0;

function entryOf(element: Element, uid: string): Entry {
  const path = pathOf(element, filesOf(uid));
  return {
    id: textOf(element, 'fileid'),
    path,
    name: path.slice(path.lastIndexOf('/') + 1),
    isFolder: isFolder(element),
    mediaType: textOf(element, 'getcontenttype').replace(/;.*$/, ''),
    size: Number(textOf(element, 'size')),
    modifiedAt: Date.parse(textOf(element, 'getlastmodified')),
    permissions: textOf(element, 'permissions'),
    shareTypes: [...element.getElementsByTagNameNS('http://owncloud.org/ns', 'share-type')].map(
      ({ textContent }) => Number(textContent),
    ),
  };
}

function trashedOf(element: Element): TrashedEntry {
  const href = new URL(textOf(element, 'href'), location.href).pathname.replace(/\/$/, '');
  return {
    key: decodeURIComponent(href.slice(href.lastIndexOf('/') + 1)),
    name: textOf(element, 'trashbin-filename'),
    isFolder: isFolder(element),
    location: textOf(element, 'trashbin-original-location'),
    deletedAt: Number(textOf(element, 'trashbin-deletion-time')) * 1000,
    size: Number(textOf(element, 'size')),
  };
}
