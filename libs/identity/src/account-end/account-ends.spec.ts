import { AccountEndSteps, PushNewsRepository, type Database } from '#persistence';
import { actingFor } from '#platform';
import { AuditStage } from '../../../testing/src/rigs/audit-stage';
import { accountEndsOn, administrationOn } from '../administration';
import type { AccountEnds } from './account-ends';

const MODE = { COMPATIBILITY: 'documented' } as const;
const LEAVER = 'quitting-marker';

let stage: AuditStage;
let database: Database;
let ends: AccountEnds;

beforeAll(async () => {
  stage = await AuditStage.open();
  database = stage.test.database;
  ends = accountEndsOn(database);
});
afterAll(() => stage.test.drop());

const query = <Row = Record<string, unknown>>(sql: string, values: unknown[] = []): Promise<Row[]> =>
  stage.query<Row>(sql, values);
const one = async <T>(sql: string, values: unknown[] = []): Promise<T> =>
  Object.values((await query<Record<string, T>>(sql, values))[0]!)[0]!;
const asOperator = <T>(work: () => Promise<T>): Promise<T> => actingFor({ kind: 'operator' }, work);

async function storageOf(uid: string): Promise<{ id: number; root: number }> {
  const id = await one<number>(
    `INSERT INTO storage (key, owner_uid) VALUES ('home::' || $1, $1) RETURNING id`,
    [uid],
  );
  const root = await one<number>(
    `INSERT INTO node (storage_id, owner_uid, name, path, kind, mimetype, mtime, etag)
     VALUES ($1, $2, '', '', 'folder', 'httpd/unix-directory', now(), 'e') RETURNING id`,
    [id, uid],
  );
  return { id, root };
}

function addNode(
  uid: string,
  { id, parent, path, size = 0 }: { id: number; parent: number; path: string; size?: number },
  author = uid,
): Promise<number> {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const isFile = size > 0;
  return one<number>(
    `INSERT INTO node (storage_id, parent_id, owner_uid, name, path, kind, mimetype, mtime, etag, size, blob_key, author_kind, author)
     VALUES ($1, $2, $3, $4, $5, $6, 'text/plain', now(), 'e', $7, $8, $9, $10) RETURNING id`,
    [
      ...[
        id,
        parent,
        uid,
        name,
        path,
        isFile ? 'file' : 'folder',
        size,
        isFile ? `blob-${id}-${path}` : null,
      ],
      ...(isFile ? ['user', author] : [null, null]),
    ],
  );
}

function share(node: number, type: number, owner: string, recipient: string | null): Promise<number> {
  const federated = type === 6;
  return one<number>(
    `INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions, peer_id,
       delivery_state, delivered_at, acceptance, token_hmac, token_enc)
     VALUES ($1, $2, $3, $3, $4, $4, 1, (SELECT id FROM peer WHERE $5), CASE WHEN $5 THEN 'delivered' END,
       CASE WHEN $5 THEN now() END, CASE WHEN $5 THEN 'accepted' END, $6, $6) RETURNING id`,
    [
      type,
      node,
      owner,
      recipient,
      federated,
      federated || type === 3 ? Buffer.from(`secret-${node}-${type}`) : null,
    ],
  );
}

/** An account with files, shares of all kinds, and its name in tables of others. */
async function world(): Promise<{ doc: number; others: number; shares: Record<string, number> }> {
  await stage.test.empty('peer', 'user_account', 'user_group', 'share_event', 'outbox_message');
  await query(`INSERT INTO peer (host_key, trust) VALUES ('partner.example', 'invited')`);
  const { users, groups } = administrationOn(database, MODE);
  for (const uid of [LEAVER, 'heir', 'bob']) await users.create({ uid, password: 'a password of the specs' });
  await users.setEmail(LEAVER, `${LEAVER}@home.example`);
  await groups.create('crew');
  await groups.join('crew', LEAVER);
  const home = await storageOf(LEAVER);
  const folder = await addNode(LEAVER, { ...home, parent: home.root, path: '/docs' });
  const doc = await addNode(LEAVER, { ...home, parent: folder, path: '/docs/plan.txt', size: 7 });
  await query('UPDATE node SET size = 7 WHERE id = ANY($1)', [[home.root, folder]]);
  const bob = await storageOf('bob');
  const others = await addNode('bob', { ...bob, parent: bob.root, path: '/by-leaver.txt', size: 3 }, LEAVER);
  await query(
    `INSERT INTO file_version (node_id, size, mtime, etag, blob_key, author_kind, author, stored_at)
     VALUES ($1, 1, now(), 'e', 'v', 'user', $2, now())`,
    [others, LEAVER],
  );
  await query(
    `INSERT INTO dead_property (node_id, namespace, name, value) VALUES ($1, 'urn:drawbridge:favorite', $2, '1')`,
    [others, LEAVER],
  );
  const shares = {
    user: await share(doc, 0, LEAVER, 'bob'),
    group: await share(folder, 1, LEAVER, 'crew'),
    link: await share(doc, 3, LEAVER, null),
    federated: await share(doc, 6, LEAVER, 'carol@partner.example'),
    received: await share(others, 0, 'bob', LEAVER),
  };
  await query(
    `INSERT INTO received_share (peer_id, provider_id, token_hmac, token_enc, recipient_uid, owner, sender, name, kind, permissions, dialect, state, file_target)
     SELECT id, 'p1', 'h', 'e', $1, 'dan@partner.example', 'dan@partner.example', 'theirs', 'file', 1, 'ocm', 'accepted', '/theirs' FROM peer`,
    [LEAVER],
  );
  await stage.begin();
  return { doc, others, shares };
}

const shareIds = async (): Promise<number[]> =>
  (await query<{ id: number }>('SELECT id FROM share ORDER BY id')).map(({ id }) => id);
const notices = (): Promise<unknown[]> =>
  query('SELECT kind, subject_type FROM share_event ORDER BY id').then((rows) =>
    rows.map(({ kind, subject_type }) => `${String(subject_type)} ${String(kind)}`),
  );

describe('a preview', () => {
  it('counts files, shares by kind, links, app passwords and sessions, and changes nothing', async () => {
    await world();
    expect(await ends.preview(LEAVER.toUpperCase())).toMatchObject({
      ...{ files: 1, folders: 1, bytes: 7, userShares: 1, groupShares: 1, links: 1 },
      ...{ federatedSharesOut: 1, federatedSharesIn: 1, sharesReceived: 1, appPasswords: 0, sessions: 0 },
    });
    expect(await ends.state(LEAVER)).toBeUndefined();
    expect(await stage.recorded()).toEqual([]);
  });

  it('is refused for an end that would be refused', async () => {
    await world();
    for (const end of [{ transferTo: 'nobody' }, { transferTo: LEAVER }, { graceDays: 9999 }])
      await expect(ends.preview(LEAVER, end)).rejects.toMatchObject({ reason: 'account-end-refused' });
  });
});

describe('a removal', () => {
  it('disables at once, waits for its time, and can be undone until then', async () => {
    await world();
    const { dueAt, requestedAt } = await asOperator(() => ends.request(LEAVER, {}));
    expect(Math.round((dueAt.getTime() - requestedAt.getTime()) / 86_400_000)).toBe(30);
    expect(await ends.finish(LEAVER)).toBe(false);
    expect(await one('SELECT enabled FROM user_account WHERE uid = $1', [LEAVER])).toBe(false);
    const { users } = administrationOn(database, MODE);
    await expect(users.setEnabled(LEAVER, true)).rejects.toMatchObject({ reason: 'account-end-refused' });
    await expect(ends.request(LEAVER, {})).rejects.toMatchObject({ reason: 'account-end-refused' });
    await asOperator(() => ends.undo(LEAVER));
    expect(await one('SELECT enabled FROM user_account WHERE uid = $1', [LEAVER])).toBe(true);
    expect((await shareIds()).length).toBe(5);
    expect((await stage.recorded()).map(({ action }) => action)).toEqual([
      ...['account.end', 'account.update', 'account.end-undo', 'account.update'],
    ]);
  });

  it('leaves no row of any table with the account in it, and informs partners once', async () => {
    const { others } = await world();
    await query(`INSERT INTO setting (app, key, value) VALUES ('system', 'account_grace_days', '0')`);
    await asOperator(() => ends.request(LEAVER, {}));
    await query(`DELETE FROM setting WHERE key = 'account_grace_days'`);
    expect(await ends.finish(LEAVER)).toBe(true);
    expect(await notices()).toEqual(['share ended', 'received-share ended']);
    expect(await one('SELECT count(*) FROM node WHERE id = $1', [others])).toBe(1);
    expect(await shareIds()).toEqual([]);
    expect(await tablesThatName(LEAVER)).toEqual(['share_event']);
    expect(await stage.recorded()).toContainEqual(
      expect.objectContaining({
        action: 'account.delete',
        objectId: expect.stringMatching(/^ended-[0-9a-f]{16}$/),
      }),
    );
  });

  it('continues after its process was killed, in any batch', async () => {
    await world();
    await asOperator(() => ends.request(LEAVER, { graceDays: 0 }));
    const steps = new AccountEndSteps(database);
    const killed = new AccountEndSteps(killedBeforeCommit());
    let batches = 0;
    do {
      batches++;
      await expect(killed.next(LEAVER)).rejects.toThrow('killed');
    } while ((await steps.next(LEAVER)) === 'more');
    expect(batches).toBeGreaterThan(5);
    expect(await steps.next(LEAVER)).toBe('waiting');
    expect(await notices()).toEqual(['share ended', 'received-share ended']);
  });

  it('is done by only one of two simultaneous processes', async () => {
    await world();
    await asOperator(() => ends.request(LEAVER, { graceDays: 0 }));
    const other = accountEndsOn(database);
    const done = await Promise.all([ends.finish(LEAVER), other.finish(LEAVER)]);
    if (!done.includes(true)) done.push(await ends.finish(LEAVER));
    expect(done.filter(Boolean)).toHaveLength(1);
    expect(await notices()).toEqual(['share ended', 'received-share ended']);
  });

  it('cannot be undone after it has begun', async () => {
    await world();
    await ends.request(LEAVER, { graceDays: 0 });
    await new AccountEndSteps(database).next(LEAVER);
    await expect(ends.undo(LEAVER)).rejects.toMatchObject({ reason: 'account-end-refused' });
  });
});

describe('a transfer', () => {
  it('keeps ids and shares, under the new owner, and sends partners no message', async () => {
    const { doc, shares } = await world();
    await asOperator(() => ends.request(LEAVER, { transferTo: 'HEIR' }));
    expect(await ends.finish(LEAVER)).toBe(true);
    const moved = await query('SELECT owner_uid, path, size FROM node WHERE id = $1', [doc]);
    expect(moved).toEqual([
      {
        owner_uid: 'heir',
        path: expect.stringMatching(/^\/Transferred files \d{4}-\d\d-\d\d\/docs\/plan\.txt$/),
        size: 7,
      },
    ]);
    const kept = await query('SELECT id, owner_uid, initiator_uid FROM share ORDER BY id');
    expect(kept).toEqual(
      [shares.user, shares.group, shares.link, shares.federated].map((id) => ({
        ...{ id, owner_uid: 'heir', initiator_uid: 'heir' },
      })),
    );
    expect(await notices()).toEqual(['received-share ended']);
    expect(await one(`SELECT size FROM node WHERE owner_uid = 'heir' AND path = ''`)).toBe(7);
    expect(await tablesThatName(LEAVER)).toEqual(['share_event']);
  });

  it('ends a share with its new owner, and takes another name if the folder’s name is taken', async () => {
    await world();
    const heir = await storageOf('heir');
    const day = new Date().toISOString().slice(0, 10);
    await addNode('heir', { ...heir, parent: heir.root, path: `/Transferred files ${day}` });
    const [doc] = await query<{ id: number }>(`SELECT id FROM node WHERE path = '/docs'`);
    const toHeir = await share(doc!.id, 0, LEAVER, 'heir');
    await ends.request(LEAVER, { transferTo: 'heir' });
    await ends.finish(LEAVER);
    expect(await shareIds()).not.toContain(toHeir);
    expect(await one('SELECT path FROM node WHERE id = $1', [doc!.id])).toBe(
      `/Transferred files ${day} (2)/docs`,
    );
  });

  it('moves parts of a folder as entries of their own if their paths would be too long', async () => {
    const { doc } = await world();
    const [home] = await query<{ id: number; root: number; docs: number }>(
      `SELECT storage_id AS id, parent_id AS root, id AS docs FROM node WHERE path = '/docs'`,
    );
    let [parent, path] = [home!.docs, '/docs'];
    while (path.length < 3700) {
      path += `/${'x'.repeat(249)}`;
      parent = await addNode(LEAVER, { ...home!, parent, path });
    }
    path += `/${'y'.repeat(4000 - path.length - 1)}`;
    const deep = await addNode(LEAVER, { ...home!, parent, path, size: 5 });
    await ends.request(LEAVER, { transferTo: 'heir' });
    expect(await ends.finish(LEAVER)).toBe(true);
    const day = new Date().toISOString().slice(0, 10);
    const pathOf = (id: number) => one<string>('SELECT path FROM node WHERE id = $1', [id]);
    expect(await pathOf(doc)).toBe(`/Transferred files ${day}/docs/plan.txt`);
    expect(await pathOf(deep)).toMatch(new RegExp(`^/Transferred files ${day}/x{249}/.*/y+$`));
  });

  it('is refused to itself, to nobody, to a disabled account, and in a circle', async () => {
    await world();
    const { users } = administrationOn(database, MODE);
    await users.setEnabled('bob', false);
    for (const transferTo of [LEAVER, 'stranger', 'bob'])
      await expect(ends.request(LEAVER, { transferTo })).rejects.toMatchObject({
        reason: 'account-end-refused',
      });
    await ends.request(LEAVER, { transferTo: 'heir', graceDays: 3 });
    await expect(ends.request('heir', {})).rejects.toMatchObject({ reason: 'account-end-refused' });
  });
});

describe('files that wait for a partner', () => {
  /** One waits for a received share of the account, one for a received share of Bob. */
  async function twoWait(): Promise<void> {
    await world();
    await query(
      `INSERT INTO received_share (peer_id, provider_id, token_hmac, token_enc, recipient_uid, owner, sender, name, kind, permissions, dialect, state, file_target)
       SELECT peer_id, 'p2', 'h2', 'e', 'bob', owner, sender, name, kind, permissions, dialect, state, file_target FROM received_share`,
    );
    await query(
      `INSERT INTO stored_write (received_share_id, peer_id, path, writer_uid, share_name, host_key, size, sha1, blob_key, mtime)
       SELECT id, peer_id, '/f.txt', $1, name, 'partner.example', 1, '', 'blob of ' || recipient_uid, now() FROM received_share`,
      [LEAVER],
    );
  }
  const writers = (): Promise<unknown[]> =>
    query('SELECT writer_uid AS writer, blob_key AS content FROM stored_write ORDER BY id');
  const ofBob = { writer: 'bob', content: 'blob of bob' };

  it('pass to the successor', async () => {
    await twoWait();
    await ends.request(LEAVER, { transferTo: 'heir' });
    expect(await ends.finish(LEAVER)).toBe(true);
    expect(await writers()).toEqual([
      { writer: 'heir', content: `blob of ${LEAVER}` },
      { writer: 'heir', content: 'blob of bob' },
    ]);
  });

  it('pass to the recipient of the share, and go with an account that has the share itself', async () => {
    await twoWait();
    await ends.request(LEAVER, { graceDays: 0 });
    expect(await ends.finish(LEAVER)).toBe(true);
    expect(await writers()).toEqual([ofBob]);
    await twoWait();
    await administrationOn(database, MODE).users.remove(LEAVER);
    expect(await writers()).toEqual([ofBob]);
  });
});

it('permits no other change of the audit log', async () => {
  await world();
  await administrationOn(database, MODE).users.setEnabled('bob', false);
  const forge = (sql: string): Promise<unknown> =>
    database.dataSource.transaction(async (manager) => {
      await manager.query(
        `SELECT set_config('drawbridge.erasing', '{"uid": "bob", "pseudonym": "ended-x"}', true)`,
      );
      await manager.query(sql);
    });
  await expect(forge(`UPDATE audit_event SET actor = 'nobody'`)).rejects.toThrow('only added to');
  await expect(forge(`UPDATE audit_event SET action = 'other' WHERE object_id = 'bob'`)).rejects.toThrow(
    'only added to',
  );
});

/** A database whose transactions are undone after their work, as if the process was killed. */
function killedBeforeCommit(): Database {
  const transaction: Database['transaction'] = (work) =>
    database.transaction(async (real) => {
      await work(real);
      throw new Error('killed');
    });
  return { transaction } as Database;
}

/** Tables with a row that contains this text anywhere, after a minute, when the news for connected clients are deleted. */
async function tablesThatName(uid: string): Promise<string[]> {
  await query(`UPDATE push_news SET written_at = written_at - interval '61 seconds'`);
  await new PushNewsRepository(database).forget(1000);
  const tables = await query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const count = await one<number>(`SELECT count(*) FROM "${name}" t WHERE t::text ILIKE '%' || $1 || '%'`, [
      uid,
    ]);
    if (count > 0) found.push(name);
  }
  return found;
}
