import { FilesApp } from '../../../libs/testing/src/rigs/files-app';

let files: FilesApp;
let alice: string;
let admin: string;

beforeAll(async () => {
  files = await FilesApp.start();
  [alice, admin] = await files.newPeople('alice', 'admin');
  await files.database.dataSource.query("INSERT INTO group_member (gid, uid) VALUES ('admin', $1)", [admin]);
});
afterAll(() => files.stop());

const put = (path: string, body: string): Promise<Response> => files.dav('PUT', alice, path, { body });
const text = async (path: string): Promise<string> => (await files.dav('GET', alice, path)).text();
const call = (method: string, below: string, by = admin, uid = alice): Promise<Response> =>
  fetch(`${files.url}/remote.php/dav/kept-files/${uid}/${below}`, {
    method,
    headers: { authorization: files.authorizationOf(by) },
  });
const listed = async (below: string): Promise<Record<string, unknown>[]> =>
  (await (await call('GET', below)).json()) as Record<string, unknown>[];
const status = async (method: string, below: string, by?: string, uid?: string): Promise<number> =>
  (await call(method, below, by, uid)).status;

describe('an administrator', () => {
  it('lists a user’s deleted nodes, page by page, and restores one', async () => {
    for (let number = 0; number < 102; number++) {
      await put(`/f${number}.txt`, 'kept');
      await files.dav('DELETE', alice, `/f${number}.txt`);
    }
    const first = await listed('trash');
    const last = first.at(-1)!;
    const behind = `trash?after=${String(last.deletedAt)}/${String(last.id)}`;
    const second = await listed(behind);
    expect([first.length, second.length]).toEqual([100, 2]);
    expect(await status('POST', `trash/${String(last.id)}`)).toBe(204);
    expect(await listed(behind)).toEqual(second);
    const found = [...first, ...second].find(({ path }) => path === '/f7.txt')!;
    expect(found).toMatchObject({ kind: 'file', size: 4, deletedBy: alice });
    expect(await status('POST', `trash/${String(found.id)}`)).toBe(204);
    expect(await text('/f7.txt')).toBe('kept');
    expect(await status('POST', `trash/${String(found.id)}`)).toBe(404);
  });

  it('lists the versions of a file, and restores one', async () => {
    await put('/v.txt', 'first');
    await put('/v.txt', 'and second');
    const [version] = await listed('versions?path=/v.txt');
    expect(version).toMatchObject({ size: 5, author: alice });
    expect(await status('POST', `versions/${String(version!.id)}?path=/v.txt`)).toBe(204);
    expect(await text('/v.txt')).toBe('first');
    const [newest, oldest] = await listed('versions?path=/v.txt');
    const behind = `versions?path=/v.txt&after=${String(newest!.storedAt)}/${String(newest!.id)}`;
    expect(await listed(behind)).toEqual([oldest]);
    await files.database.dataSource.query('DELETE FROM file_version WHERE id = $1', [newest!.id]);
    expect(await listed(behind)).toEqual([oldest]);
  });

  it.each(['trash?after=17', 'trash?after=today/17', 'versions?path=/v.txt&after=x'])(
    'gets 400 for a list behind no place: %s',
    async (below) => {
      expect(await status('GET', below)).toBe(400);
    },
  );

  it.each([
    ['no such account', 'GET', 'trash', 'nobody'],
    ['no such file', 'GET', 'versions?path=/none.txt', undefined],
    ['no path', 'GET', 'versions', undefined],
    ['a path twice', 'GET', 'versions?path=/a&path=/b', undefined],
    ['no such version', 'POST', 'versions/999999?path=/v.txt', undefined],
    ['no id', 'POST', 'trash/x', undefined],
  ])('gets 404 for %s', async (_, method, below, uid) => {
    expect(await status(method, below, admin, uid)).toBe(404);
  });
});

it('kept files of an account are for administrators only, not even for its owner', async () => {
  for (const [method, below] of [
    ['GET', 'trash'],
    ['GET', 'versions?path=/v.txt'],
    ['POST', 'trash/1'],
    ['POST', 'versions/1?path=/v.txt'],
  ] as const)
    expect(await status(method, below, alice)).toBe(403);
});
