import type { Logger } from '#platform';
import { QueueAway, type JobQueues } from './jobs/job-queues';

/** Regular work that one worker does at a time, however many there are. */
export interface Schedule {
  /** Name of the work, known to all workers; never reused for other work. */
  readonly name: string;
  readonly everyMs: number;
  run(): Promise<void>;
}

/** After this time, schedules are set up again in a queue that lost them. */
const ENSURE_EVERY_MS = 60_000;

/** Stores the schedules in the queue, and runs them when the queue says so. */
export class Schedules {
  private timer: NodeJS.Timeout | undefined;
  private ensuring: Promise<void> = Promise.resolve();
  private readonly byName: ReadonlyMap<string, Schedule>;

  constructor(
    schedules: readonly Schedule[],
    private readonly queues: Pick<JobQueues, 'ensureSchedule'>,
    private readonly logger: Logger,
  ) {
    this.byName = new Map(schedules.map((schedule) => [schedule.name, schedule]));
    if (this.byName.size !== schedules.length) throw new Error('two schedules have one name');
  }

  start(): void {
    const ensure = (): void => void (this.ensuring = this.ensure());
    ensure();
    this.timer = setInterval(ensure, ENSURE_EVERY_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.ensuring;
  }

  /** Runs one. An unknown name belongs to another version. */
  async run(name: string): Promise<void> {
    await this.byName.get(name)?.run();
  }

  private async ensure(): Promise<void> {
    try {
      for (const { name, everyMs } of this.byName.values()) await this.queues.ensureSchedule(name, everyMs);
    } catch (error) {
      if (error instanceof QueueAway) return;
      this.logger.warn({ err: error, subsystem: 'schedules' }, 'schedules could not be queued');
    }
  }
}
