import type { Logger } from '#platform';
import { QueueAway, type JobQueues } from './jobs/job-queues';

/** Work that is done again and again, by one worker at a time however many there are. */
export interface Schedule {
  /** Known to all workers; never reused for something else. */
  readonly name: string;
  readonly everyMs: number;
  run(): Promise<void>;
}

/** A queue that lost everything is told again within this time. */
const ENSURE_EVERY_MS = 60_000;

/** Keeps the schedules in the queue, and runs them when the queue says so. */
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

  /** Runs one; a name that this version does not know belongs to another one. */
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
