import { createTestDatabase, type TestDatabase } from '../../../../testing/src/rigs/test-database';
import { eventually } from '../../../../testing/src/waiting';
import { declaredStatements } from '../../statement';
import { NodeWriteRepository } from '../files/node-write.repository';
import { ContentChangeRepository } from './content-change.repository';
import './outbox-dispatch.repository';

interface Written {
  readonly kind: string;
  readonly state: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

let test: TestDatabase;
let changes: ContentChangeRepository;
let ids: Readonly<Record<string, number>>;

const query = <T = Record<string, unknown>>(sql: string, ...values: unknown[]): Promise<T[]> =>
  test.database.dataSource.query<T[]>(sql, values);

beforeAll(async () => {
  test = await createTestDatabase();
  changes = new ContentChangeRepository(test.database);
});
afterAll(() => test.drop());

/** Alice has `/plans/old/a.txt`. `/plans` is shared with a person whose server has these capabilities. */
beforeEach(async () => {
  await test.empty('user_account', 'outbox_message', 'peer', 'storage');
  await query(`INSERT INTO user_account (uid, display_name, password_hash) VALUES ('alice', 'Alice', '-')`);
  await query(`INSERT INTO peer (host_key) VALUES ('partner.example')`);
  await knows('content-changes');
  const [home] = await query<{ id: number }>(
    `INSERT INTO storage (key, owner_uid) VALUES ('home::alice', 'alice') RETURNING id`,
  );
  ids = {};
  let parent: number | null = null;
  for (const path of ['', '/plans', '/plans/old', '/other']) {
    const under: number | null = path === '/other' ? ids['']! : parent;
    const [row]: { id: number }[] = await query(
      `INSERT INTO node (storage_id, parent_id, owner_uid, name, path, kind, mimetype, mtime, etag)
       VALUES ($1, $2, 'alice', $3, $4, 'folder', 'httpd/unix-directory', now(), 'first') RETURNING id`,
      home!.id,
      under,
      path.split('/').at(-1),
      path,
    );
    parent = row!.id;
    ids = { ...ids, [path]: row!.id };
  }
  await query(
    `INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions, token_hmac, token_enc, peer_id,
       delivery_state, acceptance)
     SELECT 6, $1, 'alice', 'alice', 'bea@partner.example', 'bea@partner.example', 1, 'hmac', 'sealed', id, 'delivered', 'accepted' FROM peer`,
    ids['/plans'],
  );
});

const knows = (...capabilities: string[]): Promise<unknown> =>
  query('UPDATE peer SET profile = $1', JSON.stringify({ capabilities }));

/** Changes a node below the folder. */
const change = (path: string, etag: string): Promise<unknown> =>
  test.database.transaction((transaction) =>
    new NodeWriteRepository(transaction).propagate(ids[path]!, 5, etag, new Date()),
  );

/** The messages that are written when the changes have been collected. */
async function written(): Promise<Written[]> {
  await eventually('no change waits', async () => (await changes.writeDue()) === null);
  return query<Written>('SELECT kind, state, payload FROM outbox_message ORDER BY id');
}
const open = async (): Promise<Written[]> => (await written()).filter(({ state }) => state === 'pending');

describe('changed content of a federated share', () => {
  it('is looked for without those of all shares that were told', async () => {
    await query(
      `INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions, token_hmac, token_enc, peer_id,
         delivery_state, acceptance)
       SELECT 6, $1, 'alice', 'alice', n || '@partner.example', n || '@partner.example', 1, convert_to('hmac' || n, 'UTF8'), 'sealed', p.id, 'delivered', 'accepted'
       FROM peer p, generate_series(1, 2000) n`,
      ids['/other'],
    );
    await query(
      'INSERT INTO content_change (share_id, revision, told_revision) SELECT id, 1, 1 FROM share ON CONFLICT DO NOTHING',
    );
    const toWrite = declaredStatements().find(({ name }) => name === 'outbox_dispatch.to_write')!;
    const plan = await query(`EXPLAIN ${toWrite.text}`);
    expect(JSON.stringify(plan)).toContain('using content_change_untold on content_change');
    expect(JSON.stringify(plan)).not.toContain('Seq Scan on content_change');
  });

  it('is sent with the place of the change, and the ETag and size of the root', async () => {
    await change('/plans/old', 'second');
    const [root] = await query<{ etag: string }>('SELECT etag FROM node WHERE id = $1', ids['/plans']);
    const [share] = await query<{ id: number }>('SELECT id FROM share');
    expect(await written()).toEqual([
      {
        kind: 'share-content',
        state: 'pending',
        payload: {
          providerId: String(share!.id),
          grantee: 'bea@partner.example',
          etag: root!.etag,
          size: 5,
          path: '/old',
        },
      },
    ]);
  });

  it('is sent once for simultaneous changes, and names the root if they are in several places', async () => {
    for (const [path, etag] of [
      ['/plans/old', '2'],
      ['/plans', '3'],
      ['/plans/old', '4'],
    ] as const)
      await change(path, etag);
    const [root] = await query<{ etag: string }>('SELECT etag FROM node WHERE id = $1', ids['/plans']);
    expect(await written()).toMatchObject([{ payload: { etag: root!.etag, path: '' } }]);
  });

  it('replaces an earlier unsent message', async () => {
    await change('/plans', '2');
    await written();
    await change('/plans', '3');
    const all = await written();
    expect(all.map(({ state }) => state)).toEqual(['superseded', 'pending']);
  });

  it('is not sent if the change is elsewhere', async () => {
    await change('/other', '2');
    expect(await written()).toEqual([]);
  });

  it('is not sent if only the place of nodes changed', async () => {
    await query(`UPDATE node SET path = path || '-moved' WHERE id = $1`, ids['/plans']);
    expect(await written()).toEqual([]);
  });

  it.each([
    ['the recipient did not accept', `UPDATE share SET acceptance = 'unknown'`],
    ['the owner’s server made the share', `UPDATE share SET granted_id = '7', granted_token_enc = 'x'`],
    ['the partner does not ask for it', `UPDATE peer SET profile = '{"capabilities": ["notifications"]}'`],
  ])('is not sent if %s', async (_, sql) => {
    await query(sql);
    await change('/plans', '2');
    expect(await open()).toEqual([]);
  });

  it('ends with the share', async () => {
    await change('/plans', '2');
    await query('DELETE FROM share');
    expect(await query('SELECT FROM content_change')).toEqual([]);
  });

  it('is not lost if it is committed while messages are written', async () => {
    await change('/plans', '2');
    await written();
    let commit = (): void => {};
    const isWritten = Promise.withResolvers<void>();
    const held = test.database.transaction(async (transaction) => {
      await new NodeWriteRepository(transaction).propagate(ids['/plans']!, 5, 'late', new Date());
      isWritten.resolve();
      await new Promise<void>((resolve) => (commit = resolve));
    });
    await isWritten.promise;
    expect(await changes.writeDue()).toBeNull();
    commit();
    await held;
    const [root] = await query<{ etag: string }>('SELECT etag FROM node WHERE id = $1', ids['/plans']);
    expect(await open()).toMatchObject([{ payload: { etag: root!.etag } }]);
  });
});
