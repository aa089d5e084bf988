import { SecretBox } from '#platform';
import type { DeliveryOutcome } from '#federation/exchange';
import { FederationOutbox } from '../../../../testing/src/rigs/federation-outbox';
import { createTestDatabase, type TestDatabase } from '../../../../testing/src/rigs/test-database';
import { DeliveryRepository, type ClaimedMessage } from './delivery.repository';
import { OutboxDispatchRepository } from './outbox-dispatch.repository';

const LEASE_MS = 60_000;
const down: DeliveryOutcome = { kind: 'retry', errorClass: 'network', message: 'connection refused' };

let test: TestDatabase;
let outbox: FederationOutbox;
let dispatch: OutboxDispatchRepository;
let deliveries: DeliveryRepository;
beforeAll(async () => {
  test = await createTestDatabase();
  outbox = new FederationOutbox(test.database);
  dispatch = new OutboxDispatchRepository(test.database, new SecretBox(() => Buffer.alloc(32)));
  deliveries = new DeliveryRepository(test.database, { next: () => 0.5 });
});
afterAll(() => test.drop());
beforeEach(() => outbox.clear());

const dispatched = async () => (await dispatch.dispatch(LEASE_MS)).messages;
const claimOne = async (): Promise<ClaimedMessage> =>
  (await deliveries.claim(await dispatched(), LEASE_MS))[0]!;
const dispatchedIds = async () => (await dispatched()).map(({ messageId }) => messageId);

/** Writes messages about one share of a partner. */
async function share() {
  const peer = await outbox.addPeer('a.example');
  return async (kind: Parameters<FederationOutbox['write']>[1]) => (await outbox.write(peer, kind, 1))!;
}

describe('a message that waits again after an attempt', () => {
  it.each([
    ['failed', (message: ClaimedMessage) => deliveries.settle([{ message, outcome: down }])],
    ['was lost with its worker', () => outbox.letTimePass().then(() => dispatch.reclaim())],
  ])('that %s is not sent if its share ended meanwhile: only the end is', async (_how, end) => {
    const write = await share();
    const [offer, change] = [await write('share-create'), await write('share-permissions')];
    const message = await claimOne();
    const unshare = await write('share-unshare');
    await end(message);
    expect(Object.fromEntries(await outbox.states())).toEqual({
      [offer]: 'superseded',
      [change]: 'superseded',
      [unshare]: 'pending',
    });
    // The end keeps the pause of the offer: a partner that is still working on the offer would not know the share yet.
    expect(await dispatchedIds()).toEqual([]);
    await outbox.letPausesPass();
    expect(await dispatchedIds()).toEqual([unshare]);
  });

  it('gives way to a later change of the same kind', async () => {
    const write = await share();
    const first = await write('share-permissions');
    const message = await claimOne();
    const second = await write('share-permissions');
    await deliveries.settle([{ message, outcome: down }]);
    expect(Object.fromEntries(await outbox.states())).toEqual({ [first]: 'superseded', [second]: 'pending' });
  });

  it('is sent again if the message behind it replaces nothing', async () => {
    const write = await share();
    const [offer, change] = [await write('share-create'), await write('share-permissions')];
    await deliveries.settle([{ message: await claimOne(), outcome: down }]);
    expect(Object.fromEntries(await outbox.states())).toEqual({ [offer]: 'pending', [change]: 'pending' });
    await outbox.letPausesPass();
    expect(await dispatchedIds()).toEqual([offer]);
  });
});
