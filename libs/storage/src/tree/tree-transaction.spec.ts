import { administrationOn } from '#identity';
import { createTestDatabase, type TestDatabase } from '../../../testing/src/rigs/test-database';
import { GrownFolders } from './grown-folders';
import { parsePath } from './node-path';
import { TreeTransaction } from './tree-transaction';
import { placeOf, userView } from './tree-view';

describe('a new entry in a transaction', () => {
  let test: TestDatabase;
  const view = userView('alice');
  const path = parsePath('/new.txt');

  beforeAll(async () => {
    test = await createTestDatabase();
    await administrationOn(test.database, { COMPATIBILITY: 'owncloud10' }).users.create({
      uid: 'alice',
      password: 'a-password',
    });
  });
  afterAll(() => test.drop());

  const within = async <T>(
    newPath: string,
    grown: GrownFolders,
    work: Parameters<typeof TreeTransaction.within<T>>[4],
  ): Promise<T> => {
    const { storageId } = await placeOf(test.database, view, path);
    const expected = { path, storageId, newPath, uploadId: undefined };
    return test.database.transaction((transaction) =>
      TreeTransaction.within(transaction, grown, view, expected, work),
    );
  };
  const enter = (newPath: string, isShared: boolean): Promise<string> =>
    within(newPath, new GrownFolders(isShared), async (_change, { place }) => place.storagePath);

  it('is made where it was expected', async () => {
    expect(await enter('/new.txt', true)).toBe('/new.txt');
  });

  it('is refused beside others at another place, where one of them may write, and made there alone', async () => {
    await expect(enter('/before.txt', true)).rejects.toMatchObject({ code: 'changed-meanwhile' });
    expect(await enter('/before.txt', false)).toBe('/new.txt');
  });

  it('has the room that others of the transaction leave, unless the room is read after them', async () => {
    await test.database.dataSource.query(
      `INSERT INTO setting (app, key, value) VALUES ('files', 'max_nodes_per_user', '2')`,
    );
    const admit = (isKnown: boolean): Promise<void> => {
      const grown = new GrownFolders(true);
      grown.promise({ bytes: 0, nodes: 2 });
      return within('/new.txt', grown, (change, { place, room }) =>
        change.admitGrowth(place.storageId, { bytes: 1, nodes: 1 }, undefined, isKnown ? room : undefined),
      );
    };
    await expect(admit(true)).rejects.toMatchObject({ code: 'too-many-nodes' });
    await admit(false);
  });

  it('is refused beside others if something is there by now', async () => {
    await test.database.dataSource.query(
      `INSERT INTO node (storage_id, parent_id, owner_uid, name, path, kind, mimetype, size, mtime, etag)
       SELECT storage_id, id, owner_uid, 'new.txt', '/new.txt', 'folder', 'httpd/unix-directory', 0, now(), 'e'
       FROM node WHERE owner_uid = 'alice' AND parent_id IS NULL`,
    );
    await expect(enter('/new.txt', true)).rejects.toMatchObject({ code: 'changed-meanwhile' });
    expect(await enter('/new.txt', false)).toBe('/new.txt');
  });
});
