import { basicAuth } from '../../libs/testing/src/basic-auth';
import { ReadingPartner, WAYS_IN } from '../../libs/testing/src/partners/reading-partner';
import type { FilesApp } from '../../libs/testing/src/rigs/files-app';

/** The folder `/folder` of a user, the target of these uploads. */
export interface Target {
  readonly files: FilesApp;
  readonly uid: string;
}

/** Sends a content to a path below the target. @returns the last answer */
export type UploadRoute = (target: Target, path: string, content: string) => Promise<Response>;

/** All upload routes for files from links and partners. */
export const OF_OTHERS: Readonly<Record<string, UploadRoute>> = {
  'PUT to a link at its old address': async (target, path, body) => {
    const headers = { authorization: basicAuth(await linkTo(target), '') };
    return fetch(`${target.files.url}/public.php/webdav${path}`, { method: 'PUT', headers, body });
  },
  'PUT to a link at its new address': async (target, path, body) =>
    fetch((await folderOfLink(target)) + path, { method: 'PUT', body }),
  'PUT to a drop folder': async (target, path, body) =>
    fetch((await folderOfLink(target, 4)) + path, { method: 'PUT', body }),
  'TUS to a link': async (target, path, content) => tus(await folderOfLink(target), path, content),
  'TUS to a drop folder': async (target, path, content) => tus(await folderOfLink(target, 4), path, content),
  'chunks by their names to a link': async (target, path, content) =>
    namedChunks(await folderOfLink(target), path, content),
  ...Object.fromEntries(
    WAYS_IN.map((way): [string, UploadRoute] => [
      `PUT of a partner by ${way}`,
      async (target, path, body) =>
        new ReadingPartner(target.files.url).ask(way, await sharedWithPartner(target), 'PUT', path, { body }),
    ]),
  ),
};

/** All upload routes for files from users. */
export const OF_USERS: Readonly<Record<string, UploadRoute>> = {
  'PUT of a user': (target, path, body) =>
    fetch(folderOf(target) + path, { method: 'PUT', headers: signedIn(target), body }),
  'chunks of the first version': (target, path, content) => chunks(target, path, content, false),
  'chunks of the second version': (target, path, content) => chunks(target, path, content, true),
  'chunks by their names': (target, path, content) =>
    namedChunks(folderOf(target), path, content, signedIn(target)),
  'TUS of a user': (target, path, content) => tus(folderOf(target), path, content, signedIn(target)),
};

const signedIn = ({ files, uid }: Target) => ({ authorization: files.authorizationOf(uid) });
const folderOf = ({ files, uid }: Target): string => `${files.url}/remote.php/dav/files/${uid}/folder`;

export async function linkTo({ files, uid }: Target, permissions = 15): Promise<string> {
  return (await files.link({ path: '/folder', owner: uid, permissions })).token;
}

/** Address of the folder behind a new link. */
export async function folderOfLink(target: Target, permissions = 15): Promise<string> {
  return `${target.files.url}/remote.php/dav/public-files/${await linkTo(target, permissions)}`;
}

let partners = 0;
export const sharedWithPartner = ({ files, uid }: Target): Promise<{ id: number; token: string }> =>
  files.federatedShare({ path: '/folder', owner: uid, recipient: `bea${++partners}@cloud.partner.example` });

/** An upload by TUS in two requests. */
async function tus(
  folder: string,
  path: string,
  content: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const version = { 'tus-resumable': '1.0.0', ...headers };
  const begun = await fetch(folder, {
    method: 'POST',
    headers: {
      ...version,
      'upload-length': String(content.length),
      'upload-metadata': `filename ${Buffer.from(path.slice(1)).toString('base64')}`,
    },
  });
  if (begun.status !== 201) return begun;
  const patch = { ...version, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' };
  return fetch(begun.headers.get('location')!, { method: 'PATCH', headers: patch, body: content });
}

/** Address at which the chunks of a path are sent. */
export const uploadOf = ({ files, uid }: Target, path: string): string =>
  `${files.url}/remote.php/dav/uploads/${uid}/upload-of-${path.slice(1)}`;

/** Chunks at a separate address; `isSecond` sends the destination in the first request. */
export async function chunks(
  target: Target,
  path: string,
  content: string,
  isSecond: boolean,
): Promise<Response> {
  const [upload, destination] = [uploadOf(target, path), folderOf(target) + path];
  const send = (method: string, at: string, more: Record<string, string>, body?: string) =>
    fetch(upload + at, { method, headers: { ...signedIn(target), ...more }, body });
  const begun = await send('MKCOL', '', isSecond ? { destination } : {});
  if (begun.status !== 201) return begun;
  await send('PUT', '/1', {}, content.slice(0, 20));
  await send('PUT', '/2', {}, content.slice(20));
  return send('MOVE', '/.file', { destination });
}

async function namedChunks(
  folder: string,
  path: string,
  content: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const send = (index: number, body: string) =>
    fetch(`${folder}${path}-chunking-4711-2-${index}`, {
      method: 'PUT',
      headers: { 'oc-chunked': '1', ...headers },
      body,
    });
  const begun = await send(0, content.slice(0, 20));
  if (begun.status !== 201) return begun;
  return send(1, content.slice(20));
}
