import { SecretBox } from '#platform';
import type { DeliveryOutcome } from '#federation/exchange';
import { TAKES_CONTENT_CHANGES } from '#federation/protocol';
import { FederationOutbox } from '../../../../testing/src/rigs/federation-outbox';
import { createTestDatabase, type TestDatabase } from '../../../../testing/src/rigs/test-database';
import { DeliveryRepository } from './delivery.repository';
import { OutboxDispatchRepository } from './outbox-dispatch.repository';

const LEASE_MS = 60_000;

describe('an acceptance that its owner’s server knows now', () => {
  let test: TestDatabase;
  let outbox: FederationOutbox;
  let peerId: number;

  beforeAll(async () => {
    test = await createTestDatabase();
    outbox = new FederationOutbox(test.database);
    await outbox.query(
      `INSERT INTO user_account (uid, display_name, password_hash) VALUES ('bob', 'Bob', '-')`,
    );
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    await outbox.query('DELETE FROM received_share');
    await outbox.clear();
    peerId = await outbox.addPeer('owner.example');
    await reports([TAKES_CONTENT_CHANGES]);
  });

  const reports = (capabilities: readonly string[]) =>
    outbox.query('UPDATE peer SET profile = $1', [JSON.stringify({ capabilities })]);

  /** A share whose next probe is due in `probeIn`. @returns its id */
  async function received(state: string, probeIn: string): Promise<number> {
    const [row] = await outbox.query<{ id: number }>(
      `INSERT INTO received_share (peer_id, provider_id, token_hmac, token_enc, recipient_uid, owner, sender, name, kind, permissions, dialect,
         state, decided_at, look_at)
       VALUES ($1, '7', 'secret', 'sealed', 'bob', 'rem@owner.example', 'rem@owner.example', 'plan', 'folder', 19, 'ocm-webdav',
         $2, now(), now() + $3::interval) RETURNING id`,
      [peerId, state, probeIn],
    );
    return row!.id;
  }

  /** Whether a probe is due after an attempt to send the acceptance. */
  async function isDueAfter(id: number, outcome: DeliveryOutcome): Promise<boolean> {
    await outbox.write(peerId, 'received-accept', id);
    const dispatch = new OutboxDispatchRepository(test.database, new SecretBox(() => Buffer.alloc(32)));
    const deliveries = new DeliveryRepository(test.database, { next: () => 0.5 });
    const claimed = await deliveries.claim((await dispatch.dispatch(LEASE_MS)).messages, LEASE_MS);
    expect(await deliveries.settle(claimed.map((message) => ({ message, outcome })))).toBe(1);
    const [row] = await outbox.query<{ due: boolean }>(
      'SELECT look_at <= now() AS due FROM received_share WHERE id = $1',
      [id],
    );
    return row!.due;
  }

  it('makes a probe due, as changes since the first one were not reported', async () => {
    expect(await isDueAfter(await received('accepted', '10 minutes'), { kind: 'delivered' })).toBe(true);
  });

  it('does not while it is not delivered', async () => {
    const down = { kind: 'retry', errorClass: 'network', message: 'connection refused' } as const;
    expect(await isDueAfter(await received('accepted', '10 minutes'), down)).toBe(false);
  });

  it('does not if the server reports no changes', async () => {
    await reports([]);
    expect(await isDueAfter(await received('accepted', '10 minutes'), { kind: 'delivered' })).toBe(false);
  });

  it('does not if the recipient has left the share meanwhile', async () => {
    expect(await isDueAfter(await received('declined', '10 minutes'), { kind: 'delivered' })).toBe(false);
  });

  it('keeps the time of a probe that is due', async () => {
    const id = await received('accepted', '-1 minute');
    const time = () => outbox.query('SELECT look_at FROM received_share WHERE id = $1', [id]);
    const before = await time();
    expect(await isDueAfter(id, { kind: 'delivered' })).toBe(true);
    expect(await time()).toEqual(before);
  });
});
