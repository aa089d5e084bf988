import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';

/** When upkeep runs: first after the start, and then after the end of the run before. */
interface Rhythm {
  readonly firstAfterMs: number;
  readonly everyMs: number;
}

/** Upkeep that runs again and again while the app does. A run under way ends before the database is closed. */
export abstract class UpkeepSchedule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private underWay: Promise<void> = Promise.resolve();
  private readonly stopping = new AbortController();

  protected constructor(private readonly rhythm: Rhythm) {}

  onApplicationBootstrap(): void {
    this.runAfter(this.rhythm.firstAfterMs);
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearTimeout(this.timer);
    this.stopping.abort();
    await this.underWay;
  }

  /** One run, which leaves the rest to the next one when `signal` aborts. */
  protected abstract run(signal: AbortSignal): Promise<void>;

  /** Logs that a run failed. */
  protected abstract failed(error: unknown): void;

  private runAfter(delayMs: number): void {
    this.timer = setTimeout(() => void (this.underWay = this.runNow()), delayMs).unref();
  }

  private async runNow(): Promise<void> {
    const { signal } = this.stopping;
    try {
      await this.run(signal);
    } catch (error) {
      this.failed(error);
    }
    if (!signal.aborted) this.runAfter(this.rhythm.everyMs);
  }
}
