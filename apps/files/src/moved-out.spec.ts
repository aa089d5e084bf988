import { VersionRepository } from '#persistence';
import { TrashBin, type TrashEntry, userView } from '#storage';
import { FilesApp } from '../../../libs/testing/src/rigs/files-app';
import { storageProblems } from '../../../libs/testing/src/rigs/storage-problems';

let files: FilesApp;
let alice: string;
let brian: string;
let carol: string;

beforeAll(async () => {
  files = await FilesApp.start();
});
afterAll(() => files.stop());
/** Alice shares /team, with a file that was overwritten, and /more with Brian. Carol shares /theirs with Brian. */
beforeEach(async () => {
  [alice, brian, carol] = await files.newPeople('alice', 'brian', 'carol');
  for (const folder of ['/team', '/team/sub', '/more']) await files.dav('MKCOL', alice, folder);
  for (const body of ['first', 'the second']) await files.dav('PUT', alice, '/team/sub/plan.txt', { body });
  await files.dav('MKCOL', carol, '/theirs');
  await files.share({ path: '/team', owner: alice, recipient: brian });
  await files.share({ path: '/more', owner: alice, recipient: brian });
  await files.share({ path: '/theirs', owner: carol, recipient: brian });
  await files.dav('PROPFIND', brian, '/');
});
// After every test, the counts and the content of the blob store match the nodes and versions.
afterEach(async () => {
  expect(await storageProblems(files)).toEqual([]);
});

const status = async (reply: Promise<Response>): Promise<number> => (await reply).status;
const move = (from: string, to: string, overwrite = 'F'): Promise<number> =>
  status(files.transfer('MOVE', brian, from, to, { overwrite }));
const text = async (uid: string, path: string): Promise<string> => (await files.dav('GET', uid, path)).text();
const trashOf = (uid: string): Promise<TrashEntry[]> => files.get(TrashBin).list(uid);
const formerPaths = async (uid: string): Promise<string[]> =>
  (await trashOf(uid)).map((entry) => entry.originalPath);
const idOf = async (uid: string, path: string): Promise<number> =>
  Number(await files.property(uid, path, 'oc:fileid'));
const versionsOf = async (nodeId: number) =>
  (await new VersionRepository(files.database).list(nodeId)).map(({ size, author }) => ({ size, author }));

async function restored(uid: string): Promise<void> {
  const [entry] = await trashOf(uid);
  await files.get(TrashBin).restoreToOrigin(userView(uid), entry!);
}

describe('a node that a recipient moves out of a share', () => {
  it('is also in the trash bin of its owner, with its versions', async () => {
    const id = await idOf(brian, '/team/sub/plan.txt');
    expect(await move('/team/sub/plan.txt', '/mine.txt')).toBe(201);
    expect(await idOf(brian, '/mine.txt')).toBe(id);
    expect(await versionsOf(id)).toEqual([{ size: 5, author: alice }]);
    expect(await files.property(alice, '/', 'oc:size')).toBe('0');
    const [entry] = await trashOf(alice);
    expect(entry).toMatchObject({
      originalPath: 'team/sub/plan.txt',
      deletedBy: { kind: 'user', name: brian },
      row: { size: 10 },
    });
    expect(await formerPaths(brian)).toEqual([]);

    expect(await status(files.dav('DELETE', brian, '/mine.txt'))).toBe(204);
    await files.get(TrashBin).empty(brian);
    await restored(alice);
    expect(await text(alice, '/team/sub/plan.txt')).toBe('the second');
    const back = await idOf(alice, '/team/sub/plan.txt');
    expect(await versionsOf(back)).toEqual([{ size: 5, author: alice }]);
    expect(await new VersionRepository(files.database).currentAuthor(back)).toMatchObject({ author: alice });
  });

  it('is there with everything below it', async () => {
    expect(await move('/team/sub', '/mine')).toBe(201);
    expect(await formerPaths(alice)).toEqual(['team/sub']);
    await restored(alice);
    expect([await text(alice, '/team/sub/plan.txt'), await text(brian, '/mine/plan.txt')]).toEqual([
      'the second',
      'the second',
    ]);
    expect(await files.property(alice, '/', 'oc:size')).toBe('10');
  });

  it.each([
    ['into a share of somebody else', '/theirs/plan.txt', 201],
    ['to the place of another share, which they give up', '/more', 204],
  ])('is there if it moves %s', async (_, to, expected) => {
    expect(await move('/team/sub/plan.txt', to, 'T')).toBe(expected);
    expect(await text(brian, to)).toBe('the second');
    expect(await formerPaths(alice)).toEqual(['team/sub/plan.txt']);
  });

  it('is not there if it stays with its owner, or comes from their own files', async () => {
    expect(await move('/team/sub/plan.txt', '/more/plan.txt')).toBe(201);
    await files.dav('PUT', brian, '/own.txt', { body: 'own' });
    expect(await move('/own.txt', '/theirs/own.txt')).toBe(201);
    expect([await formerPaths(alice), await formerPaths(brian)]).toEqual([[], []]);
  });

  it('leaves no copy if it cannot be moved', async () => {
    await files.dav('PUT', brian, '/taken.txt', { body: 'taken' });
    expect(await move('/team/sub/plan.txt', '/taken.txt')).toBe(412);
    expect(await move('/team/sub/plan.txt', '/nowhere/plan.txt')).toBe(409);
    expect(await formerPaths(alice)).toEqual([]);
  });
});
