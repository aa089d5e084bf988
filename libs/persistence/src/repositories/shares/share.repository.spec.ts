import { SecretBox } from '#platform';
import { settingsOn } from '#settings';
import { dayOf, type SharedNode } from '#sharing';
import { ReceivedShares } from '#storage';
import { pathSharesContract } from '../../../../testing/src/contracts/path-shares.contract';
import { shareStoreContract } from '../../../../testing/src/contracts/share-store.contract';
import type { ShareStoreStage } from '../../../../testing/src/contracts/share-store-stage';
import { createTestDatabase, type TestDatabase } from '../../../../testing/src/rigs/test-database';
import { AccountRepository } from '../accounts/account.repository';
import { GroupRepository } from '../accounts/group.repository';
import { sharedNodeOf } from '../files/node-row';
import { ShareRepository } from './share.repository';

const ADD_NODE = `
  WITH home AS (
    SELECT st.id, root.id AS root_id FROM storage st JOIN node root ON root.storage_id = st.id AND root.parent_id IS NULL
    WHERE st.owner_uid = $1
  )
  INSERT INTO node (storage_id, parent_id, owner_uid, name, path, kind, mimetype, mtime, etag, blob_key)
  SELECT home.id, coalesce(parent.id, home.root_id), $1, $2, $3, $4, 'text/plain', now(), 'etag', $5
  FROM home LEFT JOIN node parent ON parent.storage_id = home.id AND parent.path = $6
  RETURNING id::integer AS "nodeId", kind, name, path AS "ownerPath", owner_uid AS "ownerUid", mimetype,
    storage_id AS "storageId", parent_id::integer AS "parentId", received_share_id IS NOT NULL AS "isRemote"`;

describe('shares in Postgres', () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(() => test.drop());

  const query = <T = unknown>(text: string, values: unknown[] = []): Promise<T[]> =>
    test.database.dataSource.query<T[]>(text, values);

  const open = async (): Promise<ShareStoreStage> => {
    await test.empty('user_account');
    await query("DELETE FROM user_group WHERE gid <> 'admin'");
    const { database } = test;
    const received = new ReceivedShares(
      database,
      settingsOn(database, { COMPATIBILITY: 'owncloud10' }).policy,
    );
    const accounts = new AccountRepository(database);
    const groups = new GroupRepository(database);
    const addUser = async (uid: string): Promise<void> => {
      await accounts.insert({ uid, displayName: uid, email: null, passwordHash: '-', groups: [] });
      await query('INSERT INTO storage (key, owner_uid) VALUES ($1, $1)', [uid]);
      await query(
        `INSERT INTO node (storage_id, owner_uid, name, path, kind, mimetype, mtime, etag)
         SELECT id, $1, '', '', 'folder', 'httpd/unix-directory', now(), 'etag' FROM storage WHERE owner_uid = $1`,
        [uid],
      );
    };
    const store = new ShareRepository(database, new SecretBox(() => Buffer.alloc(32, 7)));
    return {
      store,
      tree: {
        placeReceived: (uid) => received.place(uid),
        share: async (path, share) => {
          const { made, place } = await store.insertByPath(path, share);
          if (made !== undefined) return { made };
          return { node: place?.node ? sharedNodeOf(place.node) : undefined };
        },
        decide: async (uid, share, state) => {
          if (state === 'accepted') await received.accept(uid, share.nodeId, share.id);
          else await received.decline(uid, share.nodeId);
        },
      },
      addUsers: async (...uids) => {
        for (const uid of uids) await addUser(uid);
      },
      addGroup: async (gid, ...members) => {
        await groups.insert(gid);
        for (const uid of members) await groups.addMember(gid, uid);
      },
      leave: async (gid, uid) => void (await groups.removeMember(gid, uid)),
      removeUser: async (uid) => void (await accounts.remove(uid)),
      removeGroup: async (gid) => void (await groups.remove(gid)),
      add: async (ownerUid, path) => {
        const kind = path.endsWith('/') ? 'folder' : 'file';
        const full = path.replace(/\/$/, '');
        const slash = full.lastIndexOf('/');
        const blob = kind === 'file' ? `${ownerUid}${full}` : null;
        const values = [ownerUid, full.slice(slash + 1), full, kind, blob, full.slice(0, slash)];
        return (await query<SharedNode>(ADD_NODE, values))[0]!;
      },
      removeNode: async (nodeId) => void (await query('DELETE FROM node WHERE id = $1', [nodeId])),
      today: () => dayOf(new Date()),
    };
  };

  shareStoreContract(open);
  describe('by the path of the node', () => pathSharesContract(open));
});
