import type { OfferedToUs, StoredOffer } from '#federation/exchange';
import { countAllStatements } from '../../../../testing/src/rigs/statement-count';
import { createTestDatabase, type TestDatabase } from '../../../../testing/src/rigs/test-database';
import { PeerRepository } from '../partners/peer.repository';
import { ReceivedShareRepository } from './received-share.repository';

const HOST = 'cloud.example.org';
/** As many as an offer to a group may reach. */
const MEMBERS = Array.from({ length: 200 }, (_, number) => `member-${String(number).padStart(3, '0')}`);
const [ANN, BEN, ZOE] = [MEMBERS[0]!, MEMBERS[1]!, MEMBERS.at(-1)!];

let test: TestDatabase;
let shares: ReceivedShareRepository;
let peerId: number;

beforeAll(async () => {
  test = await createTestDatabase();
  shares = new ReceivedShareRepository(test.database);
  await query(
    `INSERT INTO user_account (uid, display_name, password_hash) SELECT uid, uid, '-' FROM unnest($1::text[]) AS uid`,
    [MEMBERS],
  );
});
afterAll(() => test.drop());
beforeEach(async () => {
  await test.empty('received_share', 'notification', 'push_news', 'peer');
  peerId = (await new PeerRepository(test.database).ensure(HOST)).id;
});

const query = <T = unknown>(text: string, values: unknown[] = []): Promise<T[]> =>
  test.database.dataSource.query<T[]>(text, values);
const count = async (rows: string): Promise<number> =>
  (await query<{ count: number }>(`SELECT count(*)::int FROM ${rows}`))[0]!.count;

function offer(providerId: string): OfferedToUs {
  const [owner, sender] = [`bea@${HOST}`, `rem@${HOST}`];
  return {
    ...{ peerId, providerId, tokenHmac: Buffer.from(providerId), tokenEnc: Buffer.from('sealed') },
    ...{ owner, ownerDisplayName: 'Bea', sender, senderDisplayName: 'Rem' },
    ...{ name: 'Plans', description: 'of the team', kind: 'folder', permissions: 3, expiresAt: null },
    ...{ dialect: 'ocm-webdav', access: { group: 'team' }, webappTokenEnc: null, verified: true },
  };
}
const store = (
  recipientUids: readonly string[],
  providerId = '7',
): Promise<ReadonlyMap<string, StoredOffer>> =>
  shares.insert(offer(providerId), recipientUids, 'You received "/Plans"');

/** Gives the user as many undecided offers of the host as one host may have. */
const fill = (uid: string): Promise<unknown> =>
  query(
    `INSERT INTO received_share (peer_id, provider_id, token_hmac, token_enc, recipient_uid, owner, sender, name, permissions, dialect)
     SELECT $1, 'full-' || n, decode(md5(n::text), 'hex'), '-', $2, '-', '-', 'x', 1, 'ocm-webdav' FROM generate_series(1, 200) n`,
    [peerId, uid],
  );

describe('an offer to the members of a group', () => {
  it('is stored for two hundred members by one statement', async () => {
    let stored: ReadonlyMap<string, StoredOffer> = new Map();
    expect(await countAllStatements(test.database, async () => void (stored = await store(MEMBERS)))).toBe(1);
    const rows = await query<Record<string, unknown>>(
      `SELECT id::int, recipient_uid, provider_id, owner, sender, name, description, kind, permissions, access, verified, state
       FROM received_share ORDER BY recipient_uid`,
    );
    expect(rows).toEqual(
      MEMBERS.map((uid) => ({
        ...{ id: stored.get(uid), recipient_uid: uid, provider_id: '7' },
        ...{ owner: `bea@${HOST}`, sender: `rem@${HOST}`, name: 'Plans', description: 'of the team' },
        ...{ kind: 'folder', permissions: 3, access: { group: 'team' }, verified: true, state: 'pending' },
      })),
    );
    expect([...stored.keys()].sort()).toEqual(MEMBERS);
  });

  it('gives each member a notification, a record in the audit log, and news for connected clients', async () => {
    const stored = await store([ANN, ZOE]);
    const ids = [ANN, ZOE].map((uid) => String(stored.get(uid)));
    expect(await query('SELECT uid, object_id, subject FROM notification ORDER BY uid')).toEqual([
      { uid: ANN, object_id: ids[0], subject: 'You received "/Plans"' },
      { uid: ZOE, object_id: ids[1], subject: 'You received "/Plans"' },
    ]);
    const records = await query(
      `SELECT action, actor_kind, actor, object_id, detail ->> 'recipient' AS recipient FROM audit_event
       WHERE object_type = 'received-share' AND object_id = ANY($1) ORDER BY recipient`,
      [ids],
    );
    const record = { action: 'received-share.offer', actor_kind: 'partner', actor: HOST };
    expect(records).toEqual([
      { ...record, object_id: ids[0], recipient: ANN },
      { ...record, object_id: ids[1], recipient: ZOE },
    ]);
    expect(await query('SELECT topic, key FROM push_news ORDER BY topic, key')).toEqual([
      { topic: 'mounts', key: ANN },
      { topic: 'mounts', key: ZOE },
      { topic: 'notices', key: ANN },
      { topic: 'notices', key: ZOE },
    ]);
  });

  it('changes nothing for members who have it already, also after they declined it', async () => {
    await store([ANN, BEN]);
    await query(`UPDATE received_share SET state = 'declined' WHERE recipient_uid = $1`, [BEN]);
    await query('DELETE FROM notification');
    const before = await query('SELECT * FROM received_share ORDER BY id');
    const again = await store([ANN, BEN, ZOE]);
    expect([...again]).toEqual([
      [ANN, 'known'],
      [BEN, 'known'],
      [ZOE, expect.any(Number)],
    ]);
    expect((await query('SELECT * FROM received_share ORDER BY id')).slice(0, 2)).toEqual(before);
    expect(await query('SELECT uid FROM notification')).toEqual([{ uid: ZOE }]);
  });

  it('leaves out members who have too many undecided offers', async () => {
    await fill(BEN);
    expect([...(await store([ANN, BEN, ZOE]))]).toEqual([
      [ANN, expect.any(Number)],
      [BEN, 'no-room'],
      [ZOE, expect.any(Number)],
    ]);
    expect(await count(`received_share WHERE recipient_uid = '${BEN}' AND provider_id = '7'`)).toBe(0);
    expect(await query('SELECT uid FROM notification ORDER BY uid')).toEqual([{ uid: ANN }, { uid: ZOE }]);
  });

  it('is known to a member who has it, also without room for another one', async () => {
    await store([BEN]);
    await fill(BEN);
    expect([...(await store([BEN]))]).toEqual([[BEN, 'known']]);
    expect([...(await store([BEN], '8'))]).toEqual([[BEN, 'no-room']]);
  });

  it('finds room where the undecided offers of a member have expired', async () => {
    await fill(BEN);
    await query(`UPDATE received_share SET expires_at = now() - interval '1 second'`);
    expect([...(await store([BEN]))]).toEqual([[BEN, expect.any(Number)]]);
  });

  it('is stored in the order of the user ids, so that simultaneous copies do not block each other', async () => {
    const stored = await store([ZOE, BEN, ANN]);
    const ids = [ANN, BEN, ZOE].map((uid) => Number(stored.get(uid)));
    expect(ids).toEqual(ids.toSorted((one, other) => one - other));
    expect([...stored.keys()]).toEqual([ZOE, BEN, ANN]);
  });

  it('is stored once for each member by many simultaneous copies, in any order', async () => {
    const copies = Array.from({ length: 20 }, (_, index) =>
      store(index % 2 === 0 ? MEMBERS : MEMBERS.toReversed()),
    );
    const results = await Promise.all(copies);
    for (const uid of MEMBERS) {
      const answers = results.map((stored) => stored.get(uid));
      expect(answers.filter((one) => one === 'known')).toHaveLength(19);
    }
    expect(await count('received_share')).toBe(MEMBERS.length);
    expect(await count('notification')).toBe(MEMBERS.length);
  });

  it('is stored for nobody if one account was removed in the meantime', async () => {
    await expect(store([ANN, 'nobody'])).rejects.toMatchObject({ code: '23503' });
    expect(await count('received_share')).toBe(0);
    expect(await count('notification')).toBe(0);
  });
});
