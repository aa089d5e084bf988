import { TrashBin, userView } from '#storage';
import { FilesApp } from '../../../libs/testing/src/rigs/files-app';

let files: FilesApp;
let alice: string;
let brian: string;

beforeAll(async () => {
  files = await FilesApp.start();
});
afterAll(() => files.stop());
beforeEach(async () => {
  [alice, brian] = await files.newPeople('alice', 'brian');
  await files.dav('MKCOL', brian, '/team');
  await files.dav('PUT', brian, '/team/of brian.txt', { body: 'of brian' });
  await files.share({ path: '/team', owner: brian, recipient: alice });
  await files.dav('PUT', alice, '/own.txt', { body: 'own' });
  await files.dav('MKCOL', alice, '/folder');
  await files.dav('PUT', alice, '/folder/inside.txt', { body: 'inside' });
});

const OVER = { overwrite: 'T' };
const statusOf = async (reply: Promise<Response>): Promise<number> => (await reply).status;
const text = async (uid: string, path: string): Promise<string> => (await files.dav('GET', uid, path)).text();
const stateOfShare = async (): Promise<number[]> => {
  const rows: { state: number }[] = await files.database.dataSource.query(
    'SELECT state FROM share_recipient WHERE uid = $1',
    [alice],
  );
  return rows.map(({ state }) => state);
};

describe.each(['COPY', 'MOVE'] as const)('%s over a received share', (method) => {
  it.each([
    ['/own.txt', '/team', 'own'],
    ['/folder', '/team/inside.txt', 'inside'],
  ])('declines the share and puts %s at its place', async (from, read, body) => {
    expect(await statusOf(files.transfer(method, alice, from, '/team', OVER))).toBe(204);
    expect(await text(alice, read)).toBe(body);
    expect(await statusOf(files.dav('GET', alice, '/team/of brian.txt'))).toBe(404);
    expect(await statusOf(files.dav('GET', alice, from))).toBe(
      method === 'MOVE' ? 404 : from === '/folder' ? 405 : 200,
    );
    expect(await stateOfShare()).toEqual([2]);
    expect(await text(brian, '/team/of brian.txt')).toBe('of brian');
  });

  it('is refused with Overwrite: F, and the share stays', async () => {
    expect(await statusOf(files.transfer(method, alice, '/own.txt', '/team'))).toBe(412);
    expect(await stateOfShare()).toEqual([0]);
  });

  it('does not change the share if the source cannot be moved there', async () => {
    await files.transfer('MOVE', alice, '/team', '/folder/team');
    for (const [from, to, status] of [
      ['/nothing.txt', '/folder/team', 404],
      ['/folder/team/of brian.txt', '/folder/team', 409],
      ['/folder', '/folder/team', 409],
      ['/folder/team', '/folder/team', 403],
    ] as const)
      expect(await statusOf(files.transfer(method, alice, from, to, OVER))).toBe(status);
    expect(await stateOfShare()).toEqual([0]);
    expect(await text(alice, '/folder/team/of brian.txt')).toBe('of brian');
  });
});

it('MOVE of a received share over another one declines the other', async () => {
  await files.dav('MKCOL', brian, '/second');
  await files.dav('PUT', brian, '/second/2.txt', { body: 'second' });
  await files.share({ path: '/second', owner: brian, recipient: alice });
  expect(await statusOf(files.transfer('MOVE', alice, '/second', '/team', OVER))).toBe(204);
  expect(await text(alice, '/team/2.txt')).toBe('second');
  expect((await stateOfShare()).sort()).toEqual([0, 2]);
  expect(await text(brian, '/team/of brian.txt')).toBe('of brian');
});

it('a deleted file goes back to its place beside received shares that have the next free name', async () => {
  await files.dav('PUT', brian, '/own.txt', { body: 'of brian' });
  await files.share({ path: '/own.txt', owner: brian, recipient: alice, target: '/own (2).txt' });
  await files.dav('DELETE', alice, '/own.txt');
  await files.dav('PUT', alice, '/own.txt', { body: 'newer' });
  const [entry] = await files.get(TrashBin).list(alice);
  await files.get(TrashBin).restoreToOrigin(userView(alice), entry!);
  expect(await text(alice, '/own (2).txt')).toBe('of brian');
  expect(await text(alice, '/own (3).txt')).toBe('own');
});
