import { Queue, type JobsOptions } from 'bullmq';
import { Unavailable, type Logger } from '#platform';
import { connect, disconnect, type QueueBackend, type QueueConnection } from './queue-backend';
import { QueueOutage } from './queue-outage';
import { QUEUE_NAMES, type JobOf, type QueueName } from './queues';
import { backendOfShared } from './shared-postgres';

/** A job with its id. If a job with the same id waits or runs, no second one is added. */
export interface NewJob<Q extends QueueName> {
  readonly id: string;
  readonly job: JobOf<Q>;
}

/** A job that waits for a worker: the time of adding in milliseconds, and its delay. */
interface Waiting {
  readonly timestamp: number;
  readonly opts: { readonly delay?: number };
}

/** The methods of a queue that this program uses, the same on both backends. */
interface Producer {
  add(name: string, data: unknown, opts: JobsOptions): Promise<unknown>;
  addBulk(jobs: { name: string; data: unknown; opts: JobsOptions }[]): Promise<unknown>;
  upsertJobScheduler(
    id: string,
    repeat: { every: number },
    template: { name: string; data: unknown; opts: Omit<JobsOptions, 'jobId' | 'repeat' | 'delay'> },
  ): Promise<unknown>;
  getJobCounts(
    ...types: ('waiting' | 'active' | 'delayed' | 'failed' | 'prioritized')[]
  ): Promise<Record<string, number>>;
  getJobs(types: 'waiting'[], start: number, end: number): Promise<Waiting[]>;
  waitUntilReady(): Promise<unknown>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  close(): Promise<void>;
}

/** Nothing is kept of a finished job: its result is in the database. */
const FORGOTTEN: JobsOptions = { removeOnComplete: true, removeOnFail: true };
const POOL_SIZE = 4;
/**
 * Up to this number, jobs are added one by one. In Postgres, adding in bulk creates temporary tables, and every connection has to
 * forget what it knew of them: it costs as much as eight jobs. In Redis it is one call.
 */
const MOST_ADDED_SINGLY = { postgres: 8, redis: 1 };
const OLDEST_ASKED_FOR = 10;
const RETRY_AFTER_SECONDS = 5;
const CALL_MS = 10_000;

/** The queue cannot be reached. The log says so once for the whole outage. */
export class QueueAway extends Unavailable {
  constructor(cause: unknown) {
    super('the queue cannot be reached', RETRY_AFTER_SECONDS, { cause });
  }
}

/** Adds jobs. If a queue cannot be reached, it fails at once: the outbox still has the work. */
export class JobQueues {
  private readonly queues: Readonly<Record<QueueName, Producer>>;
  private readonly connection: QueueConnection;
  private readonly mostAddedSingly: number;
  /** Reports outages of the queue, whatever part of this process notices them. */
  readonly outage: QueueOutage;

  constructor(backend: QueueBackend, logger: Logger) {
    // Fails at once instead of waiting for an absent Redis. A call that was under way when Redis vanished fails after the limit.
    const redis = { enableOfflineQueue: false, maxRetriesPerRequest: 1, commandTimeout: CALL_MS };
    this.connection = connect(backend, redis, POOL_SIZE);
    this.mostAddedSingly = MOST_ADDED_SINGLY[backend.kind];
    const entries = QUEUE_NAMES.map((name) => [name, openQueue(name, this.connection)] as const);
    this.outage = new QueueOutage(logger, () => this.backlog('schedules'));
    for (const [queue, producer] of entries)
      producer.on('error', (error) => this.outage.failed(error, { queue }));
    this.queues = Object.fromEntries(entries) as Record<QueueName, Producer>;
  }

  /** Resolves when every queue can be reached and the queue's own schema exists. */
  async ready(): Promise<void> {
    for (const name of QUEUE_NAMES) await this.queues[name].waitUntilReady();
  }

  /** @throws QueueAway when the queue cannot be reached */
  async add<Q extends QueueName>(queue: Q, jobs: readonly NewJob<Q>[]): Promise<void> {
    const producer = this.queues[queue];
    const entries = jobs.map(({ id, job }) => ({
      name: queue,
      data: job,
      opts: { ...FORGOTTEN, jobId: id },
    }));
    if (entries.length > this.mostAddedSingly) await this.reaching(queue, producer.addBulk(entries));
    else
      await this.reaching(
        queue,
        Promise.all(entries.map(({ name, data, opts }) => producer.add(name, data, opts))),
      );
  }

  /**
   * Makes the schedule run at this interval, by one worker at a time. A repetition changes nothing.
   * @throws QueueAway when the queue cannot be reached
   */
  async ensureSchedule(schedule: string, everyMs: number): Promise<void> {
    const data: JobOf<'schedules'> = { v: 1, schedule };
    const template = { name: 'schedules', data, opts: FORGOTTEN };
    const entered = this.queues.schedules.upsertJobScheduler(schedule, { every: everyMs }, template);
    await this.reaching('schedules', entered);
  }

  /** Number of jobs that wait, run or are delayed. @throws when the queue cannot be reached */
  async backlog(queue: QueueName): Promise<number> {
    const counts = await this.queues[queue].getJobCounts('waiting', 'active', 'delayed', 'prioritized');
    return Object.values(counts).reduce((sum, count) => sum + count, 0);
  }

  /** Waiting time of the oldest job in seconds; 0 if none waits. @throws when the queue cannot be reached */
  async oldest(queue: QueueName): Promise<number> {
    // Both backends list the newest first. Workers may take the oldest jobs between the two calls, so more than one is read.
    const { waiting = 0 } = await this.queues[queue].getJobCounts('waiting');
    const oldest = await this.queues[queue].getJobs(['waiting'], Math.max(0, waiting - OLDEST_ASKED_FOR), -1);
    const waits = oldest.map(({ timestamp, opts }) => Date.now() - timestamp - (opts.delay ?? 0));
    return Math.max(0, ...waits) / 1000;
  }

  async close(): Promise<void> {
    this.outage.close();
    await Promise.all(Object.values(this.queues).map((queue) => queue.close()));
    await disconnect(this.connection);
  }

  private async reaching(queue: QueueName, call: Promise<unknown>): Promise<void> {
    try {
      await call;
    } catch (error) {
      this.outage.failed(error, { queue });
      throw new QueueAway(error);
    }
  }
}

function openQueue(name: QueueName, connection: QueueConnection): Producer {
  return connection.kind === 'postgres'
    ? new Queue(name, { connection: connection.connection }, backendOfShared)
    : new Queue(name, { connection: connection.options, prefix: connection.prefix });
}
