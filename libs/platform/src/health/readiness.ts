import { Injectable } from '@nestjs/common';

/** Rejects, with a reason, while requests cannot be served. */
export type ReadinessCheck = () => Promise<unknown>;

/** Whether this process can serve a request now. It never contacts a partner. */
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

  /** Not ready from now on, because the process is about to stop. */
  drain(): void {
    this.draining = true;
  }

  /** Names of checks that fail; empty if none does. */
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
