import { TAKES_CONTENT_CHANGES } from '#federation/protocol';
import { countStatements } from '../../../../testing/src/rigs/statement-count';
import { rowsRead } from '../../../../testing/src/rigs/rows-read';
import { createTestDatabase, type TestDatabase } from '../../../../testing/src/rigs/test-database';
import { RemoteNodeRepository } from '../files/remote-node.repository';
import { ReceivedShareRepository } from './received-share.repository';
import { CLAIM_PARTNERS, CLAIM_SHARES, WALK } from './probe-claim-statements';
import { ShareWatchRepository, type ClaimedProbe } from './share-watch.repository';

let test: TestDatabase;

const query = <T = unknown>(text: string, values: unknown[] = []): Promise<T[]> =>
  test.database.dataSource.query<T[]>(text, values);

/** Due shares of up to ten partners. */
const claim = async (sharesPerPartner: number): Promise<readonly ClaimedProbe[]> =>
  (
    await new ShareWatchRepository(test.database).claim(
      { peers: [], after: 0 },
      { partners: 10, sharesPerPartner, leaseMs: 60_000 },
    )
  ).probes;

const sharesRead = (text: string, values: string): Promise<number> =>
  rowsRead(test.database, 'received_share', text, values);

/** 201 partners, each with 100 shares that are due tomorrow. The first partner also has 10,000 shares that are due now. */
beforeAll(async () => {
  test = await createTestDatabase();
  await query(`INSERT INTO user_account (uid, display_name, password_hash) VALUES ('bob', 'Bob', '')`);
  await query(`INSERT INTO peer (host_key) SELECT 'p' || n || '.example' FROM generate_series(1, 201) AS n`);
  const insert = `INSERT INTO received_share (peer_id, provider_id, token_hmac, token_enc, recipient_uid, owner, sender, name,
    permissions, dialect, look_at, verified)`;
  await query(`${insert} SELECT p.id, n, '', '', 'bob', 'o', 's', 'n', 1, 'ocm-webdav', now() + interval '1 day', true
    FROM peer p, generate_series(1, 100) AS n`);
  await query(`${insert} SELECT p.id, n, '', '', 'bob', 'o', 's', 'n', 1, 'ocm-webdav', now() - interval '1 minute', true
    FROM peer p, generate_series(101, 10100) AS n WHERE p.host_key = 'p1.example'`);
  await query('ANALYZE');
}, 300_000);
afterAll(() => test.drop());

it('finds due partners and shares without reading the others', async () => {
  const [{ id }] = (await query('SELECT id FROM peer WHERE host_key = $1', ['p1.example'])) as [
    { id: number },
  ];
  expect(await sharesRead(WALK.text, '0, 500')).toBeLessThan(250);
  const all = (await query<{ id: number }>('SELECT id FROM peer')).map((peer) => peer.id);
  expect(await sharesRead(CLAIM_PARTNERS.text, `ARRAY[${all.join()}]::bigint[], 60000`)).toBeLessThan(250);
  expect(
    await sharesRead(CLAIM_SHARES.text, `ARRAY[${id}::bigint], 10, 60000, 'content-changes'`),
  ).toBeLessThan(50);
});

it('claims any number of shares in three statements', async () => {
  const counts: number[] = [];
  for (const size of [1, 10, 1000]) {
    await query('UPDATE peer SET looks_after = NULL');
    let taken = 0;
    counts.push(await countStatements(test.database, async () => void (taken = (await claim(size)).length)));
    expect(taken).toBe(size);
  }
  expect(new Set(counts).size).toBe(1);
});

it('does not delay a partner whose only due share was locked', async () => {
  const [{ id }] = (await query(`SELECT id FROM peer WHERE host_key = 'p2.example'`)) as [{ id: number }];
  await query('UPDATE peer SET looks_after = CASE WHEN id = $1 THEN NULL ELSE $2::timestamptz END', [
    id,
    '2999-01-01',
  ]);
  await query(`UPDATE received_share SET look_at = now() WHERE peer_id = $1 AND provider_id = '1'`, [id]);
  const other = test.database.dataSource.createQueryRunner();
  await other.query('BEGIN');
  await other.query(`UPDATE received_share SET used_at = now() WHERE peer_id = $1 AND provider_id = '1'`, [
    id,
  ]);
  expect(await claim(10)).toEqual([]);
  await other.query('COMMIT');
  await other.release();
  expect(await claim(10)).toMatchObject([{ peerId: id }]);
  expect(await claim(10)).toEqual([]);
});

it('probes a share again if its content changed during the probe', async () => {
  const watch = new ShareWatchRepository(test.database);
  const received = new ReceivedShareRepository(test.database);
  const [{ id }] = (await query(
    `UPDATE peer SET looks_after = NULL WHERE host_key = 'p3.example' RETURNING id`,
  ).then(([rows]) => rows)) as [{ id: number }];
  await query(
    `UPDATE received_share SET look_at = now(), state = 'accepted' WHERE peer_id = $1 AND provider_id = '1'`,
    [id],
  );
  const finish = async (): Promise<readonly ClaimedProbe[]> => {
    await watch.leavePartner(id, 0);
    return claim(10);
  };
  const [probe] = await claim(10);
  expect(probe).toMatchObject({ peerId: id, state: 'accepted' });
  const decision = { ...probe!, nextProbeAtMs: probe!.nowMs + 600_000, fileTarget: null };
  await received.probeNow(test.database, probe!.receivedShareId, 'another');
  await watch.finish(probe!, decision);
  const again = await finish();
  expect(again).toMatchObject([{ receivedShareId: probe!.receivedShareId }]);
  await watch.finish(again[0]!, decision);
  expect(await finish()).toEqual([]);
});

it('keeps the time of a failure that a reader met during a probe, unless the probe found the share', async () => {
  const watch = new ShareWatchRepository(test.database);
  const remote = new RemoteNodeRepository(test.database);
  const [{ id }] = (await query(
    `UPDATE peer SET looks_after = NULL WHERE host_key = 'p9.example' RETURNING id`,
  ).then(([rows]) => rows)) as [{ id: number }];
  await query(
    `UPDATE received_share SET look_at = now(), state = 'accepted', file_target = '/n' WHERE peer_id = $1 AND provider_id = '1'`,
    [id],
  );
  const failedSince = async (): Promise<Date | null> =>
    (
      await query<{ at: Date | null }>(
        `SELECT unreachable_since AS at FROM received_share WHERE peer_id = $1 AND provider_id = '1'`,
        [id],
      )
    )[0]!.at;
  const [probe] = await claim(10);
  await remote.noteUnreachable(probe!.receivedShareId);
  const since = await failedSince();
  expect(since).toEqual(expect.any(Date));
  const refused = {
    ...probe!,
    state: 'quarantined' as const,
    failedProbes: 1,
    nextProbeAtMs: probe!.nowMs,
    fileTarget: null,
  };
  await watch.finish(probe!, refused);
  expect(await failedSince()).toEqual(since);
  await watch.leavePartner(id, 0);
  const [next] = await claim(10);
  expect(next).toMatchObject({ unreachableSinceMs: expect.any(Number), state: 'quarantined' });
  await watch.finish(next!, { ...refused, state: 'accepted', unreachableSinceMs: null });
  expect(await failedSince()).toBeNull();
});

it('tells when the next probe of a partner is due', async () => {
  const watch = new ShareWatchRepository(test.database);
  const [{ id, nowMs }] = (await query(
    `SELECT id, extract(epoch FROM now()) * 1000 AS "nowMs" FROM peer WHERE host_key = 'p4.example'`,
  )) as [{ id: number; nowMs: number }];
  const [hourMs, dayMs] = [3_600_000, 86_400_000];
  const inMs = await watch.leavePartner(id, Number(nowMs) + hourMs);
  expect(inMs).toBeGreaterThan(dayMs / 2);
  expect(inMs).toBeLessThanOrEqual(dayMs);
  const laterMs = await watch.leavePartner(id, Number(nowMs) + 2 * dayMs);
  expect(laterMs).toBeGreaterThan(dayMs);
  expect(laterMs).toBeLessThanOrEqual(2 * dayMs);
  await query('DELETE FROM received_share WHERE peer_id = $1', [id]);
  expect(await watch.leavePartner(id, Number(nowMs) + hourMs)).toBeNull();
});

it.each([
  ['reports', [], true],
  ['reports', ['delivered'], true],
  ['reports', ['dead', 'delivered'], true],
  ['does not report', ['pending'], false],
  ['does not report', ['superseded', 'dead'], false],
])('%s changes of a share with the acceptances %j', async (_what, states, partnerReports) => {
  const [{ peerId, shareId }] = (await query(
    `WITH partner AS (INSERT INTO peer (host_key, profile) VALUES ($1, jsonb_build_object('capabilities', ARRAY[$2::text])) RETURNING id)
     INSERT INTO received_share (peer_id, provider_id, token_hmac, token_enc, recipient_uid, owner, sender, name, permissions, dialect, look_at)
     SELECT id, '1', '', '', 'bob', 'o', 's', 'n', 1, 'ocm-webdav', now() FROM partner RETURNING peer_id AS "peerId", id AS "shareId"`,
    [`accepted-${states.join('-')}.example`, TAKES_CONTENT_CHANGES],
  )) as [{ peerId: number; shareId: number }];
  await query(
    `INSERT INTO outbox_message (subject_type, subject_id, peer_id, kind, revision, dedupe_key, payload, state, deadline_at)
     SELECT 'received-share', $1::bigint, $2, 'received-accept', n, $1 || ':' || n, '{}', state, now() + interval '1 day'
     FROM unnest($3::text[]) WITH ORDINALITY AS given (state, n) ORDER BY n`,
    [shareId, peerId, states],
  );
  const limits = { partners: 1, sharesPerPartner: 1, leaseMs: 60_000 };
  const { probes } = await new ShareWatchRepository(test.database).claim(
    { peers: [peerId], after: null },
    limits,
  );
  expect(probes).toMatchObject([{ receivedShareId: shareId, use: { partnerReports } }]);
});

it('walks in steps, and looks at the named partners first', async () => {
  const watch = new ShareWatchRepository(test.database);
  await query(`INSERT INTO peer (host_key) SELECT 'q' || n || '.example' FROM generate_series(1, 600) AS n`);
  await query(`UPDATE peer SET looks_after = '2999-01-01' WHERE host_key LIKE 'p%'`);
  await query(`INSERT INTO received_share (peer_id, provider_id, token_hmac, token_enc, recipient_uid, owner, sender, name,
    permissions, dialect, look_at, verified)
    SELECT id, 1, '', '', 'bob', 'o', 's', 'n', 1, 'ocm-webdav', now(), true FROM peer WHERE host_key LIKE 'q%'`);
  const ids = await query<{ id: number }>(`SELECT id FROM peer WHERE host_key LIKE 'q%' ORDER BY id`);
  const [first, last] = [ids[0]!.id, ids.at(-1)!.id];
  const limits = { partners: 2, sharesPerPartner: 1, leaseMs: 60_000 };
  const { probes, rest } = await watch.claim({ peers: [last], after: first - 1 }, limits);
  expect(new Set(probes.map(({ peerId }) => peerId))).toEqual(new Set([first, last]));
  expect(rest).toEqual({ peers: ids.slice(1, 500).map(({ id }) => id), after: ids[499]!.id });
  const end = await watch.claim({ peers: [], after: ids[499]!.id }, limits);
  expect(end.rest).toEqual({ peers: ids.slice(502, 599).map(({ id }) => id), after: null });
});
