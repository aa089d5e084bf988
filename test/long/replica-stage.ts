import { setTimeout as pause } from 'node:timers/promises';
import { createTestDatabase, eventually } from '#testing';
import { startTestRedis, type TestRedis } from '../../libs/testing/src/rigs/redis-server';
import { LoadClient } from './load-client';
import { findingsAfter } from './load-findings';
import { HERE, MixedLoad, THERE } from './mixed-load';
import { PartnerInProcess } from './partner-in-process';
import type { Ends } from './proxy-tally';
import { ReplicatedOrganisation } from './replicas';
import { RestartablePostgres } from './restartable-postgres';
import { openMessages } from './share-ends';

/** A worker holds a message that begins a share for two and a half minutes at most; if it was killed, another worker then takes the message. */
const RECOVERY_LIMIT_MS = 240_000;
/** Few messages at once and slow transfers, so that there is always a transfer. */
const CONCURRENCY = 8;
const WAY_MS = 40;

const FAILED_ATTEMPTS = `SELECT message_id, outcome, error_class, error_message FROM delivery_attempt
  WHERE outcome NOT IN ('delivered', 'already-gone', 'refused')`;
/** `rounds`: number of times that messages were given to a worker. */
const DELIVERIES = `SELECT count(*)::int AS messages, coalesce(sum(round), 0)::int AS rounds FROM outbox_message
  WHERE state IN ('delivered', 'refused')`;
interface Deliveries {
  readonly messages: number;
  readonly rounds: number;
}

/** An organisation with several processes of each app under load, and a partner that shares in both directions. */
export class ReplicaStage {
  readonly client: LoadClient;
  readonly load: MixedLoad;

  private constructor(
    /** Present if the test restarts it. */
    readonly postgres: RestartablePostgres | undefined,
    readonly redis: TestRedis,
    readonly here: ReplicatedOrganisation,
    readonly there: PartnerInProcess,
    private readonly putAway: () => Promise<unknown>,
  ) {
    this.client = new LoadClient(here.proxy.url);
    this.load = new MixedLoad(this.client, new LoadClient(there.url), here, there);
  }

  /** @param isRestarted whether the test restarts Postgres, and so needs a separate one */
  static async open(isRestarted: boolean): Promise<ReplicaStage> {
    const [postgres, redis] = await Promise.all([
      isRestarted ? RestartablePostgres.start() : undefined,
      startTestRedis(),
    ]);
    const test = postgres ? undefined : await createTestDatabase({ poolSize: 2 });
    const putAway = (): Promise<unknown> => Promise.all([postgres?.stop(), test?.drop(), redis.stop()]);
    const here = await ReplicatedOrganisation.found((postgres ?? test)!, redis, async (world) => {
      for (const uid of ['alice', 'fred', 'dan', ...HERE.users]) await world.addUser(uid);
      await world.addGroup(HERE.group, ...HERE.users.slice(0, 2));
      for (const file of HERE.files) for (const uid of ['alice', 'fred']) await world.put(uid, file);
    });
    const there = await PartnerInProcess.open(WAY_MS, async (world) => {
      for (const uid of ['zoe', ...THERE.users]) await world.addUser(uid);
      for (const file of THERE.files) await world.put('zoe', file);
    });
    await here.outbox.addPeer(there.host, { concurrency: CONCURRENCY });
    await there.outbox.addPeer(here.host, { concurrency: CONCURRENCY });
    await here.startAll();
    return new ReplicaStage(postgres, redis, here, there, putAway);
  }

  async close(): Promise<void> {
    await Promise.all([this.here.close(), this.there.close()]);
    await this.putAway();
  }

  /**
   * Does `work` under load for `leastMs` at least, waits until every message has arrived, and prints the figures in one
   * line.
   * @returns number of requests by their end
   */
  async underLoad(story: string, leastMs: number, work: () => Promise<void>): Promise<Ends> {
    this.here.proxy.tally.take();
    const before = await this.deliveries();
    const [ending, startedAt] = [new AbortController(), performance.now()];
    const going = this.load.run(ending.signal);
    try {
      await Promise.all([work(), pause(leastMs)]);
    } finally {
      ending.abort();
      await going;
    }
    const [ends, endedAt] = [this.here.proxy.tally.take(), performance.now()];
    await eventually(
      'the arrival of all messages',
      async () => (await openMessages(this.here, this.there)) === 0,
      RECOVERY_LIMIT_MS,
    );
    const after = await this.deliveries();
    const seconds = (from: number, to: number): string => `${((to - from) / 1000).toFixed(1)} s`;
    process.stderr.write(
      `replicas, ${story}: ${this.here.replicas.length} processes under load for ${seconds(startedAt, endedAt)}; ` +
        `requests ${JSON.stringify(ends)}; ${after.messages - before.messages} messages here and there, handed to a worker ` +
        `${after.rounds - before.rounds} times, the last one there ${seconds(endedAt, performance.now())} after the load\n`,
    );
    return ends;
  }

  /** Lost and doubled shares and wrong answers, after all messages have arrived. */
  async findings(): Promise<unknown[]> {
    const { here, there, load, client } = this;
    return [...client.wrong, ...here.proxy.tally.broken, ...(await findingsAfter(load, here, there))];
  }

  /** Attempts that had to be repeated, on both sides. */
  async failedAttempts(): Promise<unknown[]> {
    const failed = [this.here, this.there].map(({ outbox }) => outbox.query(FAILED_ATTEMPTS));
    return (await Promise.all(failed)).flat();
  }

  private async deliveries(): Promise<Deliveries> {
    const [ours, theirs] = await Promise.all(
      [this.here, this.there].map(async ({ outbox }) => (await outbox.query<Deliveries>(DELIVERIES))[0]!),
    );
    return { messages: ours!.messages + theirs!.messages, rounds: ours!.rounds + theirs!.rounds };
  }
}
