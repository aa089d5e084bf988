import { FilesApp } from '../../../libs/testing/src/rigs/files-app';
import { FakeRemoteFiles } from '../../../libs/testing/src/fakes/fake-remote-files';
import { eventually } from '../../../libs/testing/src/waiting';

let files: FilesApp;
const partner = new FakeRemoteFiles();
let run = 0;
let brian: string;
let there: string;

beforeAll(async () => {
  files = await FilesApp.start(partner);
});
afterAll(() => files.stop());
beforeEach(async () => {
  run++;
  [brian, there] = [`brian${run}`, `share-${run}`];
  await files.addUsers(brian);
  partner.set(there, '/sub', null);
  for (const name of ['a', 'b']) partner.set(there, `/sub/${name}.txt`, `content of ${name}`);
  await files.receive({ providerId: there, recipient: brian, target: '/There' });
});

const status = async (reply: Promise<Response>): Promise<number> => (await reply).status;
const text = async (path: string): Promise<string> => (await files.dav('GET', brian, path)).text();

const readsOf = (name: string): boolean => partner.calls.includes(`read ${there} /sub/${name}.txt`);

/** A move whose first file has arrived, and which waits for the second. @returns lets it go on, with its status */
async function moveHalfWay(): Promise<() => Promise<number>> {
  const readFirst = partner.holdNext('read');
  const moved = status(files.transfer('MOVE', brian, '/There/sub', '/mine'));
  await eventually('the read of the first file', () => readsOf('a'));
  const readSecond = partner.holdNext('read');
  readFirst();
  await eventually('the read of the second file', () => readsOf('b'));
  return () => {
    readSecond();
    return moved;
  };
}

it('a move that is sent a second time while the first runs leaves the files at their destination', async () => {
  const first = await moveHalfWay();
  const again = files.transfer('MOVE', brian, '/There/sub', '/mine', { overwrite: 'T' });
  expect(await status(again)).toBe(204);
  expect(partner.paths(there)).toEqual([]);
  expect(await first()).toBeGreaterThanOrEqual(400);
  expect([await text('/mine/a.txt'), await text('/mine/b.txt')]).toEqual(['content of a', 'content of b']);
});

it('a move that fails removes no folder that has taken the place of its own', async () => {
  const goOn = await moveHalfWay();
  await files.dav('DELETE', brian, '/mine');
  await files.dav('MKCOL', brian, '/mine');
  await files.dav('PUT', brian, '/mine/new.txt', { body: 'new' });
  partner.drop(there, '/sub/b.txt');
  expect(await goOn()).toBeGreaterThanOrEqual(400);
  expect(await text('/mine/new.txt')).toBe('new');
});

it('a move keeps its source if another folder has taken the place of its destination', async () => {
  const goOn = await moveHalfWay();
  await files.dav('DELETE', brian, '/mine');
  await files.dav('MKCOL', brian, '/mine');
  expect(await goOn()).toBe(409);
  expect(partner.paths(there)).toEqual(['/sub', '/sub/a.txt', '/sub/b.txt']);
});
