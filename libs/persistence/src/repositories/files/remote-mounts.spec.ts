import { coalesce, MESSAGES, type MessageKind, type MessageState } from '#federation/exchange';
import { SecretBox } from '#platform';
import { pastTriggers } from '../../../../testing/src/rigs/past-triggers';
import { createTestDatabase, type TestDatabase } from '../../../../testing/src/rigs/test-database';
import { ShareEventRepository } from '../deliveries/share-event.repository';
import { MountRepository } from './mount.repository';
import { NODE_ROW, type NodeRow } from './node-row';
import { NodeRepository } from './node.repository';
import { IN_USER_TREE } from './place-statements';
import { RemoteNodeRepository } from './remote-node.repository';
import { ShareRepository } from '../shares/share.repository';
import { ShareWatchRepository } from '../shares/share-watch.repository';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(async () => {
  await test.empty('user_account', 'outbox_message', 'peer');
  await query(
    `INSERT INTO user_account (uid, display_name, password_hash) VALUES ('bob', 'Bob', '-'), ('carol', 'Carol', '-')`,
  );
  await query(`INSERT INTO peer (host_key) VALUES ('partner.example')`);
  await new NodeRepository(test.database).makeStorage('bob');
});

const handleEvents = (): Promise<void> => new ShareEventRepository(test.database).handleAll();

const query = <T = Record<string, unknown>>(sql: string, ...values: unknown[]): Promise<T[]> =>
  test.database.dataSource.query<T[]>(sql, values);

async function receive(providerId = '1', permissions = 31): Promise<number> {
  const [row] = await query<{ id: number }>(
    `INSERT INTO received_share (peer_id, provider_id, token_hmac, token_enc, recipient_uid, owner, sender, name, kind, permissions,
       dialect, file_target)
     SELECT id, $1::text, $1::text::bytea, 'x', 'bob', 'alice@partner.example', 'alice@partner.example', 'Plans', 'folder', $2, 'legacy', '/Plans' || $1::text
     FROM peer RETURNING id`,
    providerId,
    permissions,
  );
  return row!.id;
}

const becomes = (id: number, state: string): Promise<unknown> =>
  query('UPDATE received_share SET state = $2 WHERE id = $1', id, state);
const rootOf = async (id: number): Promise<{ id: number }[]> =>
  query<{ id: number }>('SELECT id FROM node WHERE received_share_id = $1 AND parent_id IS NULL', id);

/** Shares the root of a mount. @returns id of the share */
async function passOn(
  receivedShareId: number,
  type: 0 | 3 | 6,
  permissions: number,
  delivery?: string,
): Promise<number> {
  const [row] = await query<{ id: number }>(
    `INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions, token_hmac, token_enc,
       peer_id, delivery_state, acceptance)
     SELECT $2::integer, n.id, 'bob', 'bob', r, r, $3::integer, CASE WHEN $2::integer <> 0 THEN decode(md5(random()::text), 'hex') END, 'secret',
       CASE WHEN $2::integer = 6 THEN p.id END, $4, CASE WHEN $2::integer = 6 THEN 'unknown' END
     FROM node n, peer p, (VALUES (CASE $2::integer WHEN 0 THEN 'carol' WHEN 6 THEN 'dan@partner.example' END)) AS v(r)
     WHERE n.received_share_id = $1 AND n.parent_id IS NULL RETURNING id`,
    receivedShareId,
    type,
    permissions,
    delivery ?? null,
  );
  return row!.id;
}

describe('the storage of a share from a partner', () => {
  it('begins with the acceptance, stays in quarantine, and ends with a decline or the share', async () => {
    const id = await receive();
    expect(await rootOf(id)).toEqual([]);
    await becomes(id, 'accepted');
    const [root] = await rootOf(id);
    expect(await query('SELECT name, path, kind, owner_uid FROM node WHERE id = $1', root!.id)).toEqual([
      { name: 'Plans', path: '', kind: 'folder', owner_uid: 'bob' },
    ]);
    await becomes(id, 'quarantined');
    await becomes(id, 'accepted');
    expect(await rootOf(id)).toEqual([root]);
    await becomes(id, 'declined');
    expect(await rootOf(id)).toEqual([]);
    await becomes(id, 'accepted');
    await becomes(id, 'gone');
    expect(await query('SELECT key FROM storage')).toEqual([{ key: 'home::bob' }]);
  });

  it('ends its reshares, and their partners are notified', async () => {
    const id = await receive();
    await becomes(id, 'accepted');
    await passOn(id, 0, 31);
    const federated = await passOn(id, 6, 31, 'delivered');
    await becomes(id, 'gone');
    expect(await query('SELECT id FROM share')).toEqual([]);
    await handleEvents();
    expect(await query('SELECT kind, subject_id FROM outbox_message')).toEqual([
      { kind: 'share-unshare', subject_id: federated },
    ]);
  });

  it('ends with its reshares some days after the last day', async () => {
    const [ended, other] = [await receive('1'), await receive('2')];
    for (const id of [ended, other]) {
      await becomes(id, 'accepted');
      await passOn(id, 0, 31);
    }
    const watch = new ShareWatchRepository(test.database);
    const expired = (id: number, days: number): Promise<unknown> =>
      query(
        'UPDATE received_share SET expires_at = now() - make_interval(days => $2) WHERE id = $1',
        id,
        days,
      );
    await expired(ended, 8);
    await expired(other, 6);
    expect([await watch.endExpired(7, 10), await watch.endExpired(7, 10)]).toEqual([1, 0]);
    expect(await query('SELECT id, state, file_target FROM received_share ORDER BY id')).toEqual([
      { id: ended, state: 'gone', file_target: null },
      { id: other, state: 'accepted', file_target: '/Plans2' },
    ]);
    expect([await rootOf(ended), (await rootOf(other)).length]).toEqual([[], 1]);
    expect(await query('SELECT id FROM share')).toHaveLength(1);
  });

  it('lowers its reshares with it, and never raises them', async () => {
    const id = await receive();
    await becomes(id, 'accepted');
    const [user, link, federated] = [
      await passOn(id, 0, 31),
      await passOn(id, 3, 1),
      await passOn(id, 6, 15, 'delivered'),
    ];
    await query('UPDATE received_share SET permissions = 17 WHERE id = $1', id);
    await handleEvents();
    expect(await query('SELECT id, permissions, revision, delivery_state FROM share ORDER BY id')).toEqual([
      { id: user, permissions: 17, revision: 0, delivery_state: null },
      { id: link, permissions: 1, revision: 0, delivery_state: null },
      { id: federated, permissions: 1, revision: 1, delivery_state: 'pending' },
    ]);
    const [message] = await query(
      `SELECT kind, revision, dedupe_key, payload, sealed_secret::text AS secret,
         extract(epoch FROM deadline_at - created_at)::integer AS lifetime FROM outbox_message`,
    );
    expect(message).toEqual({
      kind: 'share-permissions',
      revision: 1,
      dedupe_key: `share-permissions:share/${federated}:1`,
      payload: {
        providerId: String(federated),
        grantee: 'dan@partner.example',
        permissions: 1,
        expiresOn: null,
        note: null,
      },
      secret: '\\x736563726574',
      lifetime: MESSAGES['share-permissions'].lifetimeMs / 1000,
    });
    await query('UPDATE received_share SET permissions = 31 WHERE id = $1', id);
    expect(await query('SELECT permissions FROM share ORDER BY id')).toEqual([
      { permissions: 17 },
      { permissions: 1 },
      { permissions: 1 },
    ]);
  });

  const KINDS: MessageKind[] = ['share-create', 'share-permissions', 'share-unshare'];
  const STATES: MessageState[] = ['pending', 'queued', 'inflight'];
  it.each(KINDS.flatMap((kind) => STATES.map((state) => [kind, state] as const)))(
    'replaces an open %s that is %s like every other change of permissions',
    async (kind, state) => {
      const id = await receive();
      await becomes(id, 'accepted');
      const federated = await passOn(id, 6, 15, 'pending');
      await query(
        `INSERT INTO outbox_message (subject_type, subject_id, peer_id, kind, revision, dedupe_key, payload, state, deadline_at)
         SELECT 'share', $1, id, $2, 0, 'before', '{}', $3, now() FROM peer`,
        federated,
        kind,
        state,
      );
      const [open] = await query<{ id: number }>('SELECT id FROM outbox_message');
      const expected = coalesce(
        [{ messageId: open!.id, kind, state, attempts: 0, maybeDelivered: false }],
        'share-permissions',
      );
      await query('UPDATE received_share SET permissions = 1 WHERE id = $1', id);
      await handleEvents();
      expect(
        (await query<{ id: number }>(`SELECT id FROM outbox_message WHERE state = 'superseded'`)).map(
          (row) => row.id,
        ),
      ).toEqual(expected.superseded);
      expect(await query(`SELECT FROM outbox_message WHERE revision = 1 AND state = 'pending'`)).toHaveLength(
        expected.needed ? 1 : 0,
      );
    },
  );
});

describe('nodes that a user has through a share from a partner', () => {
  const shares = (): ShareRepository =>
    new ShareRepository(test.database, new SecretBox(() => Buffer.alloc(32, 7)));

  async function mounted(permissions: number): Promise<{ id: number; rootId: number; insideId: number }> {
    const id = await receive('1', permissions);
    await becomes(id, 'accepted');
    const [root] = await query<{ id: number; storage_id: number }>(
      'SELECT id, storage_id FROM node WHERE received_share_id = $1',
      id,
    );
    const nodes = new RemoteNodeRepository(test.database);
    const entry = { kind: 'file', mimetype: 'text/plain', size: 1, mtime: new Date(), etag: 'e' } as const;
    await nodes.makeFolders(root!.storage_id, ['/a', '/a/b']);
    await nodes.putEntries(root!.storage_id, '/a/b', [{ ...entry, name: 'c.txt' }], 'new');
    const inside = await nodes.at(root!.storage_id, '/a/b/c.txt');
    return { id, rootId: root!.id, insideId: inside!.id };
  }

  it('can be shared again with the partner’s permissions, by their own path', async () => {
    const { rootId, insideId } = await mounted(17);
    const common = { shareId: null, mountTarget: '/Plans1', permissions: 17, attributes: null };
    const coverage = await shares().coverage('bob', [rootId, insideId]);
    expect(coverage).toHaveLength(2);
    expect(coverage).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ ...common, nodeId: rootId, path: '/Plans1', direct: true }),
        expect.objectContaining({ ...common, nodeId: insideId, path: '/Plans1/a/b/c.txt', direct: false }),
      ]),
    );
    expect(await shares().coverage('carol', [rootId, insideId])).toEqual([]);
  });

  it('have the same rows in the list of their folder as alone, like own files', async () => {
    await mounted(31);
    await query(
      `INSERT INTO node (storage_id, parent_id, owner_uid, name, path, kind, mimetype, mtime, etag)
       SELECT storage_id, id, owner_uid, 'own', '/own', 'folder', 'httpd/unix-directory', now(), 'etag' FROM node WHERE owner_uid = 'bob'
         AND parent_id IS NULL AND received_share_id IS NULL`,
    );
    const nodes = new NodeRepository(test.database);
    const at = async (path: string): Promise<NodeRow> => {
      const node = (await nodes.place('bob', path))!.node!;
      const names = Object.keys(NODE_ROW) as (keyof NodeRow)[];
      return Object.fromEntries(names.map((name) => [name, node[name]])) as NodeRow;
    };
    for (const [folder, child] of [
      ['', '/own'],
      ['/Plans1', '/Plans1/a'],
      ['/Plans1/a/b', '/Plans1/a/b/c.txt'],
    ] as const) {
      const [above, alone] = [await at(folder), await at(child)];
      expect(await nodes.children(above)).toEqual([alone]);
      expect(await nodes.childrenAmong(above, [alone.id])).toEqual([alone]);
    }
  });

  it('give no access after its expiry', async () => {
    const { id, rootId } = await mounted(31);
    await query('UPDATE received_share SET expires_at = now() WHERE id = $1', id);
    expect(await shares().coverage('bob', [rootId])).toEqual([]);
    expect((await new NodeRepository(test.database).place('bob', '/Plans1'))?.node).toBeNull();
  });
});

describe('with ten thousand mounts of each kind', () => {
  beforeEach(async () => {
    await new NodeRepository(test.database).makeStorage('carol');
    await query(`
      INSERT INTO received_share (peer_id, provider_id, token_hmac, token_enc, recipient_uid, owner, sender, name, kind, permissions,
        dialect, state, file_target)
      SELECT p.id, i::text, i::text::bytea, 'x', 'bob', 'a@partner.example', 'a@partner.example', 'r' || i, 'folder', 31, 'legacy', 'accepted',
        '/r' || i FROM peer p, generate_series(1, 10000) AS i`);
    await query(
      pastTriggers(`
      WITH made AS (
        INSERT INTO node (storage_id, parent_id, owner_uid, name, path, kind, mimetype, mtime, etag)
        SELECT root.storage_id, root.id, 'carol', 's' || i, '/s' || i, 'folder', 'x/y', now(), 'etag'
        FROM node root, generate_series(1, 10000) AS i WHERE root.owner_uid = 'carol' AND root.parent_id IS NULL RETURNING id, name
      ), shared AS (
        INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions)
        SELECT 0, id, 'carol', 'carol', 'bob', 'bob', 31 FROM made RETURNING id, node_id
      )
      INSERT INTO share_recipient (share_id, uid, state, file_target)
      SELECT s.id, 'bob', 0, '/' || made.name FROM shared s JOIN made ON made.id = s.node_id`),
    );
    await query('ANALYZE');
  }, 300_000);

  it('a path is found by indexes with few rows, and listings read only existing entries', async () => {
    const place = await new NodeRepository(test.database).place('bob', '/r77/some/where');
    expect(place).toMatchObject({
      mountTarget: '/r77',
      storagePath: '/some/where',
      chain: [[{ permissions: 31 }]],
    });
    expect(await new NodeRepository(test.database).place('bob', '/s77')).toMatchObject({
      mountTarget: '/s77',
    });
    const plan = await planOf(IN_USER_TREE.text, [
      `'bob'`,
      `'/r77/x'`,
      `ARRAY[md5('/r77')::uuid, md5('/r77/x')::uuid]`,
      `ARRAY['/r77', '/r77/x']`,
      `'/x'`,
    ]);
    // The tables of memberships and locks are empty here, so a sequential scan of them is cheapest.
    expect(scansOf(plan).filter((scan) => /^Seq Scan on (?!group_member|node_lock)/.test(scan))).toEqual([]);
    expect(rowsRead(plan)).toBeLessThan(60);
    const mounts = new MountRepository(test.database);
    await query(`UPDATE received_share SET file_target = '/deep/in/one' WHERE provider_id = '5'`);
    expect(await mounts.inFolder('bob', '/deep/in')).toMatchObject([
      { target: '/deep/in/one', grants: [{ permissions: 31 }] },
    ]);
    expect([...(await mounts.digestsBelow('bob', '/deep')).keys()]).toEqual(['in']);
    expect(await mounts.anyBelow('bob', '/deep')).toBe(true);
    expect(await mounts.anyBelow('bob', '/r77')).toBe(false);
  });
});

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

/** The generic plan, which does not depend on the values, as it ran. */
async function planOf(text: string, values: readonly string[]): Promise<Plan> {
  const runner = test.database.dataSource.createQueryRunner();
  try {
    await runner.query(`SET plan_cache_mode = force_generic_plan`);
    await runner.query(`PREPARE looked_at AS ${text}`);
    const [row] = (await runner.query(
      `EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE looked_at(${values.join(', ')})`,
    )) as { 'QUERY PLAN': [{ Plan: Plan }] }[];
    return row!['QUERY PLAN'][0].Plan;
  } finally {
    await runner.query('DEALLOCATE looked_at');
    await runner.query('RESET plan_cache_mode');
    await runner.release();
  }
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
const scansOf = (plan: Plan): string[] =>
  nodesOf(plan).flatMap((node) =>
    node['Relation Name'] ? [`${node['Node Type']} on ${node['Relation Name']}`] : [],
  );
const rowsRead = (plan: Plan): number =>
  nodesOf(plan).reduce(
    (sum, node) =>
      sum +
      (node['Relation Name']
        ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
        : 0),
    0,
  );
