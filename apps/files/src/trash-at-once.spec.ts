import { TrashBin } from '#storage';
import { FilesApp } from '../../../libs/testing/src/rigs/files-app';
import { storageProblems } from '../../../libs/testing/src/rigs/storage-problems';
import { countAllStatements } from '../../../libs/testing/src/rigs/statement-count';

let files: FilesApp;
let alice: string;
let brian: string;

beforeAll(async () => {
  files = await FilesApp.start();
});
afterAll(() => files.stop());
beforeEach(async () => {
  [alice, brian] = await files.newPeople('alice', 'brian');
});

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const status = async (reply: Promise<Response>): Promise<number> => (await reply).status;
const inTrash = (method: string, id: number, to?: string): Promise<number> =>
  status(
    fetch(`${files.url}/remote.php/dav/trash-bin/${alice}/${id}`, {
      method,
      headers: {
        authorization: files.authorizationOf(alice),
        ...(to === undefined ? {} : { destination: files.addressOf(to) }),
      },
    }),
  );
async function trashed(path: string): Promise<number> {
  await files.dav('PUT', alice, path, { body: 'content' });
  await files.dav('DELETE', alice, path);
  return (await files.get(TrashBin).list(alice))[0]!.row.id;
}
describe('simultaneous calls in a trash bin', () => {
  it('restore a file once', async () => {
    const id = await trashed('/file.txt');
    const statuses = await Promise.all(times(6, (index) => inTrash('MOVE', id, `/restored-${index}.txt`)));
    expect(statuses.sort()).toEqual([201, 404, 404, 404, 404, 404]);
    const paths = await files.database.dataSource.query(
      `SELECT path FROM node WHERE owner_uid = $1 AND path <> ''`,
      [alice],
    );
    expect(paths).toEqual([{ path: expect.stringMatching(/^\/restored-\d\.txt$/) }]);
    expect(await storageProblems(files)).toEqual([]);
  });

  it('restore or remove a file, and never both', async () => {
    for (let round = 0; round < 5; round++) {
      const id = await trashed(`/file-${round}.txt`);
      const [restored, removed] = await Promise.all([
        inTrash('MOVE', id, `/back-${round}.txt`),
        inTrash('DELETE', id),
      ]);
      expect([
        [201, 404],
        [404, 204],
      ]).toContainEqual([restored, removed]);
      const read = await files.dav('GET', alice, `/back-${round}.txt`);
      expect([read.status, read.ok && (await read.text())]).toEqual(
        restored === 201 ? [200, 'content'] : [404, false],
      );
    }
    expect(await storageProblems(files)).toEqual([]);
  });

  it('keep written and deleted nodes at the same time', async () => {
    await files.dav('MKCOL', alice, '/shared');
    await files.share({ path: '/shared', owner: alice, recipient: brian });
    await files.dav('PROPFIND', brian, '/');
    for (let round = 0; round < 5; round++) {
      await files.dav('PUT', alice, '/shared/file.txt', { body: 'before' });
      const [deleted, written] = await Promise.all([
        status(files.dav('DELETE', brian, '/shared/file.txt')),
        status(files.dav('PUT', alice, '/shared/file.txt', { body: 'after' })),
      ]);
      expect([deleted, [201, 204].includes(written)]).toEqual([204, true]);
    }
    expect(await storageProblems(files)).toEqual([]);
  });
});

describe('statements of a trash bin', () => {
  async function folderOf(name: string, count: number): Promise<void> {
    await files.dav('MKCOL', alice, `/${name}`);
    for (let index = 0; index < count; index++)
      await files.dav('PUT', alice, `/${name}/${index}.txt`, { body: 'x' });
  }
  const list = (address = ''): Promise<unknown> =>
    fetch(`${files.url}/remote.php/dav/trash-bin/${alice}${address}`, {
      method: 'PROPFIND',
      headers: { authorization: files.authorizationOf(alice), depth: '1' },
    }).then((reply) => reply.text());
  /** Counts statements after a call that reads the account again, if the cached one is too old. */
  const costOf = async (work: () => Promise<unknown>): Promise<number> => {
    await files.dav('PROPFIND', alice, '/', { headers: { depth: '0' } });
    return countAllStatements(files.appDatabase, work);
  };

  it('are the same for a large folder and a small one, and for a long list and a short one', async () => {
    await folderOf('small', 1);
    await folderOf('large', 30);
    await files.dav('DELETE', alice, '/none');
    const small = await costOf(() => files.dav('DELETE', alice, '/small'));
    const shortList = await costOf(() => list());
    expect(await costOf(() => files.dav('DELETE', alice, '/large'))).toBe(small);
    for (let index = 0; index < 20; index++) await trashed(`/${index}.txt`);
    expect(await costOf(() => list())).toBeLessThanOrEqual(shortList);
    const ids = await files.get(TrashBin).list(alice);
    const idOf = (name: string): number => ids.find(({ row }) => row.name === name)!.row.id;
    const below = await costOf(() => list(`/${idOf('small')}`));
    expect(await costOf(() => list(`/${idOf('large')}`))).toBe(below);
    const back = await costOf(() => inTrash('MOVE', idOf('small'), '/small'));
    expect(await costOf(() => inTrash('MOVE', idOf('large'), '/large'))).toBe(back);
  });
});
