import { RuntimeSettings } from '#settings';
import { FakeRemoteFiles } from '../../libs/testing/src/fakes/fake-remote-files';
import { LEGACY, ReadingPartner } from '../../libs/testing/src/partners/reading-partner';
import { FilesApp } from '../../libs/testing/src/rigs/files-app';
import {
  folderOfLink,
  OF_OTHERS,
  OF_USERS,
  sharedWithPartner,
  type UploadRoute,
  type Target,
} from './upload-routes';

const RULES = {
  blacklisted_files: '["Banned.txt"]',
  blacklisted_files_regex: '["\\\\.tmp$"]',
  excluded_directories: '[".git"]',
  excluded_directories_regex: '["^snapshot"]',
};
/** One refused name for each setting, and one name that no setting refuses. */
const REFUSED = ['/BANNED.txt', '/x.tmp', '/.git', '/snapshot-1'];
const TAKEN = '/not-banned.txt';
const BODY = 'more than the twenty characters of a first chunk';

let files: FilesApp;
let uid: string;
let tests = 0;
const partner = new FakeRemoteFiles();

beforeAll(async () => {
  files = await FilesApp.start(partner);
});
afterAll(() => files.stop());
beforeEach(async () => {
  uid = `alice${++tests}`;
  await files.addUsers(uid);
  await files.dav('MKCOL', uid, '/folder');
});
afterEach(async () => {
  for (const key of Object.keys(RULES)) await files.get(RuntimeSettings).unset('system', key);
});

const enforce = async (): Promise<void> => {
  for (const [key, value] of Object.entries(RULES))
    await files.get(RuntimeSettings).set('system', key, value);
};
const target = (): Target => ({ files, uid });
const statusOf = async (reply: Promise<Response>): Promise<number> => (await reply).status;
const exists = async (path: string): Promise<boolean> =>
  (await files.dav('PROPFIND', uid, path, { headers: { depth: '0' } })).status === 207;

/** Moves or copies an item of the user's tree to the new name; creates `from` if it is missing. */
const transferred =
  (method: 'MOVE' | 'COPY', from: string): UploadRoute =>
  async (_, path) => {
    if (!(await exists(from))) await files.dav('PUT', uid, from, { body: BODY });
    return files.transfer(method, uid, from, `/folder${path}`);
  };
const folderMovedOrCopied =
  (method: 'MOVE' | 'COPY'): UploadRoute =>
  async (_, path) => {
    if (!(await exists('/other'))) await files.dav('MKCOL', uid, '/other');
    return files.transfer(method, uid, '/other', `/folder${path}`);
  };
/** Moves or copies a file from a received share of a partner. */
const fromPartner =
  (method: 'MOVE' | 'COPY'): UploadRoute =>
  async (_, path) => {
    const there = `${uid}-there`;
    partner.set(there, '/file', BODY);
    if (!(await exists('/There')))
      await files.receive({ providerId: there, recipient: uid, target: '/There' });
    return files.transfer(method, uid, '/There/file', `/folder${path}`);
  };
const formOfPage: UploadRoute = async (to, path, content) => {
  const token = (await folderOfLink(to)).split('/').pop();
  const form = new FormData();
  form.append('files', new Blob([content]), path.slice(1));
  return fetch(`${files.url}/s/${token}/files`, { method: 'POST', body: form, redirect: 'manual' });
};
const restored: UploadRoute = async (_, path) => {
  await files.dav('PUT', uid, '/deleted', { body: BODY });
  const id = (await files.dav('HEAD', uid, '/deleted')).headers.get('oc-fileid')!;
  await files.dav('DELETE', uid, '/deleted');
  const headers = {
    authorization: files.authorizationOf(uid),
    destination: files.addressOf(`/folder${path}`),
  };
  return fetch(`${files.url}/remote.php/dav/trash-bin/${uid}/${Number.parseInt(id, 10)}`, {
    method: 'MOVE',
    headers,
  });
};
const linkFolder =
  (permissions: number): UploadRoute =>
  async (to, path) =>
    fetch((await folderOfLink(to, permissions)) + path, { method: 'MKCOL' });

const ROUTES: Readonly<Record<string, UploadRoute>> = {
  ...OF_USERS,
  ...OF_OTHERS,
  'the form on the page of a link': formOfPage,
  'MKCOL of a user': (_, path) => files.dav('MKCOL', uid, `/folder${path}`),
  'MKCOL of a link': linkFolder(15),
  'MKCOL of a partner': async (to, path) =>
    new ReadingPartner(files.url).ask(LEGACY, await sharedWithPartner(to), 'MKCOL', path),
  'MOVE of a file': transferred('MOVE', '/moved'),
  'COPY of a file': transferred('COPY', '/copied'),
  'MOVE of a folder': folderMovedOrCopied('MOVE'),
  'COPY of a folder': folderMovedOrCopied('COPY'),
  'MOVE out of a share of a partner': fromPartner('MOVE'),
  'COPY out of a share of a partner': fromPartner('COPY'),
  'a restore from the trash bin': restored,
};

describe('names that settings refuse', () => {
  it.each(Object.keys(ROUTES))('are refused by %s, and others are accepted', async (name) => {
    await enforce();
    const upload = ROUTES[name]!;
    for (const path of REFUSED) {
      expect([path, await statusOf(upload(target(), path, BODY))]).toEqual([path, 403]);
      expect(await exists(`/folder${path}`)).toBe(false);
    }
    expect((await upload(target(), TAKEN, BODY)).status).toBeLessThan(400);
    expect(await exists(`/folder${TAKEN}`)).toBe(true);
  });
});
