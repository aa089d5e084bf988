import type { WebDAVClient } from 'webdav';
import { FILES_PASSWORD, FilesApp } from '../../../libs/testing/src/rigs/files-app';

let files: FilesApp;
let alice: WebDAVClient;
let brian: WebDAVClient;

beforeAll(async () => {
  files = await FilesApp.start();
  await files.addUsers('alice', 'brian');
  const { createClient } = await import('webdav');
  const client = (username: string) =>
    createClient(`${files.url}/remote.php/dav/files/${username}`, { username, password: FILES_PASSWORD });
  [alice, brian] = [client('alice'), client('brian')];
});
afterAll(() => files.stop());

const NAMES = ['plain', '50%25=0 +plus', '# oc?test=oc&a', 'España €', '😀', "it's; (a) [b] {c}"];

it('works with the WebDAV client of npm', async () => {
  for (const name of NAMES) {
    await alice.createDirectory(`/${name}`);
    await alice.putFileContents(`/${name}/${name}.txt`, name);
    expect(await alice.getFileContents(`/${name}/${name}.txt`, { format: 'text' })).toBe(name);
    await alice.copyFile(`/${name}/${name}.txt`, `/${name}/copy.txt`);
    await alice.moveFile(`/${name}/copy.txt`, `/${name}/moved.txt`);
    const entries = (await alice.getDirectoryContents(`/${name}`)) as {
      basename: string;
      type: string;
      size: number;
    }[];
    expect(entries.map((entry) => entry.basename).sort()).toEqual([`${name}.txt`, 'moved.txt'].sort());
    expect(await alice.exists(`/${name}/none`)).toBe(false);
    await alice.deleteFile(`/${name}/moved.txt`);
  }
  const root = (await alice.getDirectoryContents('/')) as { basename: string; type: string }[];
  expect(root.map((entry) => entry.basename).sort()).toEqual([...NAMES].sort());
});

it('shows a recipient the files shared with them', async () => {
  await files.share({ path: '/plain', owner: 'alice', recipient: 'brian', permissions: 15 });
  await brian.putFileContents('/plain/from brian.txt', 'hello');
  expect(await alice.getFileContents('/plain/from brian.txt', { format: 'text' })).toBe('hello');
  expect(await brian.stat('/plain/from brian.txt')).toMatchObject({
    type: 'file',
    size: 5,
    mime: 'text/plain',
  });
});
