import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';

/** Times of upkeep: the first run after the start, and each next one after the end of the last. */
interface Rhythm {
  readonly firstAfterMs: number;
  readonly everyMs: number;
}

/** Regular upkeep while the app runs. A started run ends before the database is closed. */
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

  /** One run. When `signal` aborts, it leaves the rest to the next run. */
  protected abstract run(signal: AbortSignal): Promise<void>;

  /** Logs a failed run. */
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
