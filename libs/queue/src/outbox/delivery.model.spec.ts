import { SecretBox } from '#platform';
import * as fc from 'fast-check';
import type { DeliveryOutcome, MessageKind } from '#federation/exchange';
import {
  DeliveryRepository,
  OutboxDispatchRepository,
  type ClaimedMessage,
  type DispatchedMessage,
} from '#persistence';
import { FederationOutbox } from '../../../testing/src/rigs/federation-outbox';
import { modelRuns } from '../../../testing/src/full-form';
import { createTestDatabase, type TestDatabase } from '../../../testing/src/rigs/test-database';

const RUNS = modelRuns(30, 1000);
const LEASE_MS = 600_000;
const SUBJECTS = 3;
const ok: DeliveryOutcome = { kind: 'delivered' };
const down: DeliveryOutcome = { kind: 'retry', errorClass: 'network', message: 'down', maybeDelivered: true };

type Event =
  | { readonly do: 'change' | 'unshare'; readonly subject: number }
  | { readonly do: 'dispatch'; readonly fate: 'kept' | 'doubled' | 'lost' | 'refused' }
  | { readonly do: 'claim'; readonly pick: number }
  | {
      readonly do: 'finish';
      readonly pick: number;
      readonly how: 'delivered' | 'failed' | 'killed' | 'killed-after-sending';
    }
  | { readonly do: 'time-passes' | 'queue-emptied' };

const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('change' as const), subject: fc.nat(SUBJECTS - 1) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('unshare' as const), subject: fc.nat(SUBJECTS - 1) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('dispatch' as const),
      fate: fc.constantFrom(
        'kept' as const,
        'kept' as const,
        'doubled' as const,
        'lost' as const,
        'refused' as const,
      ),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('claim' as const), pick: fc.nat() }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('finish' as const),
      pick: fc.nat(),
      how: fc.constantFrom(
        'delivered' as const,
        'failed' as const,
        'killed' as const,
        'killed-after-sending' as const,
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('time-passes' as const, 'queue-emptied' as const) }),
  },
);

let test: TestDatabase;
let outbox: FederationOutbox;
beforeAll(async () => {
  test = await createTestDatabase();
  outbox = new FederationOutbox(test.database);
});
afterAll(() => test.drop());

/** The real outbox and repositories, with a queue that may lose and repeat jobs, workers that may die, and a partner. */
class World {
  private readonly dispatching = new OutboxDispatchRepository(
    test.database,
    new SecretBox(() => Buffer.alloc(32)),
  );
  private readonly deliveries = new DeliveryRepository(test.database, { next: () => 0 });
  private queue: DispatchedMessage[] = [];
  private sending: ClaimedMessage[] = [];
  private readonly last = new Map<number, MessageKind>();
  /** Messages that arrived at the partner, in order. */
  readonly arrived: { subjectId: number; messageId: number }[] = [];

  constructor(private readonly peerId: number) {}

  async happen(one: Event): Promise<void> {
    switch (one.do) {
      case 'change':
        return this.change(one.subject);
      case 'unshare':
        return this.unshare(one.subject);
      case 'dispatch':
        return this.dispatch(one.fate);
      case 'claim':
        return this.claim(one.pick);
      case 'finish':
        return this.finish(one.pick, one.how);
      case 'time-passes':
        await outbox.letTimePass();
        // A worker whose lease has ended has interrupted its attempt.
        this.sending = [];
        await this.dispatching.reclaim();
        return outbox.letPausesPass();
      case 'queue-emptied':
        this.queue = [];
    }
  }

  private async change(subject: number): Promise<void> {
    const last = this.last.get(subject);
    if (last !== 'share-unshare')
      await this.write(subject, last === undefined ? 'share-create' : 'share-permissions');
  }

  private async unshare(subject: number): Promise<void> {
    const last = this.last.get(subject);
    if (last !== undefined && last !== 'share-unshare') await this.write(subject, 'share-unshare');
  }

  private async write(subject: number, kind: MessageKind): Promise<void> {
    await outbox.write(this.peerId, kind, subject + 1);
    this.last.set(subject, kind);
  }

  private async dispatch(fate: 'kept' | 'doubled' | 'lost' | 'refused'): Promise<void> {
    const { messages } = await this.dispatching.dispatch(LEASE_MS);
    if (fate === 'refused') await this.dispatching.giveBack(messages);
    if (fate === 'kept' || fate === 'doubled') this.queue.push(...messages);
    if (fate === 'doubled') this.queue.push(...messages);
  }

  private async claim(pick: number): Promise<void> {
    if (this.queue.length === 0) return;
    const [job] = this.queue.splice(pick % this.queue.length, 1);
    this.sending.push(...(await this.deliveries.claim([job!], LEASE_MS)));
  }

  private async finish(
    pick: number,
    how: 'delivered' | 'failed' | 'killed' | 'killed-after-sending',
  ): Promise<void> {
    if (this.sending.length === 0) return;
    const [message] = this.sending.splice(pick % this.sending.length, 1);
    if (how === 'delivered' || how === 'killed-after-sending')
      this.arrived.push({ subjectId: message!.subject.id, messageId: message!.messageId });
    if (how === 'delivered' || how === 'failed')
      await this.deliveries.settle([{ message: message!, outcome: how === 'delivered' ? ok : down }]);
  }

  /** Runs without failures until there is nothing left to do. */
  async comeToRest(): Promise<void> {
    for (let round = 0; round < 100; round++) {
      if (
        [...(await outbox.states()).values()].every(
          (state) => !['pending', 'queued', 'inflight'].includes(state),
        )
      )
        return;
      await this.happen({ do: 'time-passes' });
      await this.dispatch('kept');
      while (this.queue.length > 0) await this.claim(0);
      while (this.sending.length > 0) await this.finish(0, 'delivered');
    }
    throw new Error('messages are left that nobody delivers');
  }
}

it('delivers every message at least once, in order, and records it once, despite any failure', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 10, maxLength: 60 }), async (events) => {
      await outbox.clear();
      const world = new World(await outbox.addPeer('partner.example'));
      for (const one of events) await world.happen(one);
      await world.comeToRest();

      const states = await outbox.states();
      const arrived = new Set(world.arrived.map(({ messageId }) => messageId));
      for (const [messageId, state] of states) {
        expect(['delivered', 'superseded']).toContain(state);
        if (state === 'delivered') expect(arrived).toContain(messageId);
      }
      for (let subjectId = 1; subjectId <= SUBJECTS; subjectId++) {
        const ids = world.arrived.filter((one) => one.subjectId === subjectId).map((one) => one.messageId);
        expect(ids).toEqual([...ids].sort((a, b) => a - b));
      }
      const recorded = await outbox.query<{ message_id: number; count: number }>(
        `SELECT message_id, count(*)::int AS count FROM delivery_attempt WHERE outcome = 'delivered' GROUP BY message_id`,
      );
      const delivered = [...states]
        .filter(([, state]) => state === 'delivered')
        .map(([messageId]) => messageId);
      expect(recorded.map((row) => row.message_id).sort((a, b) => a - b)).toEqual(delivered);
      expect(recorded.every((row) => row.count === 1)).toBe(true);
    }),
    { numRuns: RUNS },
  );
}, 300_000);
