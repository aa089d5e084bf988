import { DelayedError, UnrecoverableError, Worker } from 'bullmq';
import type { Logger } from '#platform';
import { connect, disconnect, type QueueBackend, type QueueConnection } from './queue-backend';
import { QUEUE_NAMES, readJob, type JobOf, type QueueName } from './queues';
import { backendOfShared } from './shared-postgres';
import { UnderWay } from './under-way';

/** Runs a job. It may be called twice for one job, and by several workers: processing is idempotent. */
export interface JobProcessor<Q extends QueueName> {
  readonly concurrency: number;
  process(job: JobOf<Q>): Promise<void>;
  /** Resolves when work that goes on after the end of its job is done. */
  settled?(): Promise<void>;
}

/** Gets the failures of connections to the queue. */
export interface OutageWitness {
  failed(error: unknown, details: Readonly<Record<string, unknown>>): void;
}

/** Exactly one processor per queue. */
export type JobProcessors = { readonly [Q in QueueName]: JobProcessor<Q> };

interface StartedJob {
  readonly id?: string;
  readonly data: unknown;
  readonly attemptsStarted: number;
  moveToDelayed(timestampMs: number, token?: string): Promise<void>;
}

interface Consumer {
  run(): Promise<void>;
  waitUntilReady(): Promise<unknown>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  pause(doNotWaitActive: boolean): Promise<void>;
  close(): Promise<void>;
}

const LOCK_MS = 30_000;
/** Pauses after a failure of our own, such as an absent database: they double from the first to the longest. */
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
/** After this number of starts the job is dropped: the outbox still has the work. */
const STARTS_AT_MOST = 12;
const NEWER_PAUSE_MS = 10_000;
const POOL_SIZE = 6;
/** Without this limit, an absent queue would keep a worker from closing. */
const CLOSING_LIMIT_MS = 3000;

/** Takes jobs from all queues and passes them to their processors. */
export class JobWorkers {
  private readonly workers: readonly Consumer[];
  private readonly connection: QueueConnection;
  /** The work of jobs, without the time for delaying a job, which lasts while the queue is away. */
  private readonly underWay = new UnderWay();
  private running: Promise<unknown> = Promise.resolve();

  constructor(
    backend: QueueBackend,
    private readonly processors: JobProcessors,
    private readonly outage: OutageWitness,
    private readonly logger: Logger,
    private readonly closingLimitMs = CLOSING_LIMIT_MS,
  ) {
    this.connection = connect(backend, { maxRetriesPerRequest: null }, POOL_SIZE);
    this.workers = QUEUE_NAMES.map((queue) => this.open(queue, processors));
  }

  /** Starts taking jobs; resolves when every queue can be reached. */
  async start(): Promise<void> {
    this.running = Promise.all(this.workers.map((worker) => worker.run()));
    // A failure of a worker is reported by its error event.
    this.running.catch(() => undefined);
    await Promise.all(this.workers.map((worker) => worker.waitUntilReady()));
  }

  /** Takes no more jobs, and resolves when the running ones are done, even if the queue cannot be reached. */
  async drain(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.pause(true)));
    await this.underWay.settled();
    for (const processor of Object.values(this.processors)) await processor.settled?.();
    let limit: NodeJS.Timeout | undefined;
    const overdue = new Promise<void>((resolve) => (limit = setTimeout(resolve, this.closingLimitMs)));
    await Promise.all(this.workers.map((worker) => close(worker, overdue)));
    await Promise.race([disconnect(this.connection).catch(() => undefined), overdue]);
    clearTimeout(limit);
  }

  private open<Q extends QueueName>(queue: Q, processors: JobProcessors): Consumer {
    const processor = processors[queue];
    const work = (job: StartedJob, token?: string): Promise<void> =>
      this.process(queue, processor, job, token);
    const options = {
      concurrency: processor.concurrency,
      autorun: false,
      lockDuration: LOCK_MS,
      // A killed worker's job is done by another one, however often that happens.
      maxStalledCount: STARTS_AT_MOST,
    };
    const { connection } = this;
    const worker: Consumer =
      connection.kind === 'postgres'
        ? new Worker(queue, work, { ...options, connection: connection.connection }, backendOfShared)
        : new Worker(queue, work, { ...options, connection: connection.options, prefix: connection.prefix });
    worker.on('error', (error) => this.outage.failed(error, { queue }));
    return worker;
  }

  private async process<Q extends QueueName>(
    queue: Q,
    processor: JobProcessor<Q>,
    started: StartedJob,
    token?: string,
  ): Promise<void> {
    const read = readJob(queue, started.data);
    if (read.kind === 'unreadable') throw new UnrecoverableError('unreadable job');
    if (read.kind === 'newer') return putOff(started, NEWER_PAUSE_MS, token);
    try {
      await this.underWay.follow(processor.process(read.job));
    } catch (error) {
      this.logger.error({ err: error, queue, jobId: started.id }, 'a job failed and will be repeated');
      if (started.attemptsStarted >= STARTS_AT_MOST) throw error;
      await putOff(started, pauseAfterStarts(started.attemptsStarted), token);
    }
  }
}

async function close(worker: Consumer, overdue: Promise<void>): Promise<void> {
  // A worker that is closed before it is ready goes on with its start.
  await Promise.race([worker.waitUntilReady().catch(() => undefined), overdue]);
  await Promise.race([worker.close().catch(() => undefined), overdue]);
}

/** Delays a job without counting it as failed. @throws DelayedError, which tells the worker about it */
async function putOff(job: StartedJob, pauseMs: number, token?: string): Promise<never> {
  await job.moveToDelayed(Date.now() + pauseMs, token);
  throw new DelayedError();
}

function pauseAfterStarts(starts: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** Math.max(starts - 1, 0), LONGEST_PAUSE_MS);
}
