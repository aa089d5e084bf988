import { RuntimeSettings } from '#settings';
import { FilesApp } from '../../../libs/testing/src/rigs/files-app';

let files: FilesApp;

const RULES = {
  blacklisted_files: '["Banned.txt"]',
  blacklisted_files_regex: '["\\\\.tmp$"]',
  excluded_directories: '[".git"]',
  excluded_directories_regex: '["^snapshot"]',
};

beforeAll(async () => {
  files = await FilesApp.start();
  await files.addUsers('alice', 'brian');
  for (const path of ['/dir', '/snapshots of old', '/shared']) await files.dav('MKCOL', 'alice', path);
  await files.dav('PUT', 'alice', '/a.txt', { body: 'a' });
  await files.dav('PUT', 'alice', '/old.tmp', { body: 'stored before' });
  await files.share({ path: '/shared', owner: 'alice', recipient: 'brian' });
  for (const [key, value] of Object.entries(RULES))
    await files.get(RuntimeSettings).set('system', key, value);
});
afterAll(() => files.stop());

const status = async (reply: Promise<Response>): Promise<number> => (await reply).status;

it.each([
  ['/BANNED.txt', 403],
  ['/x.tmp', 403],
  ['/dir/.git', 403],
  ['/dir/snapshot-1', 403],
  ['/snapshots of old/below.txt', 403],
  ['/.htaccess', 201],
  ['/not-banned.txt', 201],
  ['/x.tmpl', 201],
])('a file, a folder, a copy and a moved file at %s are answered %i', async (path, expected) => {
  const body = 'b';
  expect(await status(files.dav('PUT', 'alice', path, { body }))).toBe(expected);
  await files.dav('DELETE', 'alice', path);
  expect(await status(files.dav('MKCOL', 'alice', path))).toBe(expected);
  await files.dav('DELETE', 'alice', path);
  expect(await status(files.transfer('COPY', 'alice', '/a.txt', path))).toBe(expected);
  await files.dav('DELETE', 'alice', path);
  await files.dav('PUT', 'alice', '/moved', { body });
  expect(await status(files.transfer('MOVE', 'alice', '/moved', path))).toBe(expected);
  await files.dav('DELETE', 'alice', path);
});

it('a file stored earlier under a refused name can still be read, written and renamed', async () => {
  expect(await status(files.dav('PUT', 'alice', '/old.tmp', { body: 'new' }))).toBe(204);
  expect(await status(files.dav('GET', 'alice', '/old.tmp'))).toBe(200);
  expect(await status(files.transfer('MOVE', 'alice', '/old.tmp', '/old.txt'))).toBe(201);
});

it('a received share can neither get such a name nor receive such a file', async () => {
  expect(await status(files.transfer('MOVE', 'brian', '/shared', '/.git'))).toBe(403);
  expect(await status(files.dav('PUT', 'brian', '/shared/x.tmp', { body: 'x' }))).toBe(403);
});
