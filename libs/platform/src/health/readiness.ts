import { Injectable } from '@nestjs/common';

/** Rejects, with a reason, while a request could not be served. */
export type ReadinessCheck = () => Promise<unknown>;

/** Whether this process would serve a request now. It never asks a partner. */
@Injectable()
export class Readiness {
  private readonly checks = new Map<string, ReadinessCheck>();
  private draining = false;

  get isDraining(): boolean {
    return this.draining;
  }

  add(name: string, check: ReadinessCheck): void {
    this.checks.set(name, check);
  }

  /** From now on not ready: the process is about to stop. */
  drain(): void {
    this.draining = true;
  }

  /** Names of what is not ready; empty when everything is. */
  async failing(): Promise<string[]> {
    if (this.draining) return ['draining'];
    const results = await Promise.all(
      [...this.checks].map(([name, check]) =>
        check().then(
          () => [],
          () => [name],
        ),
      ),
    );
    return results.flat();
  }
}
