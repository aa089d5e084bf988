/** Work on one input exceeded its processor time. */
export class WorkBudgetSpent extends Error {}

/** Reading the time costs more than a small step of work, so not every step does it. */
const STEPS_BETWEEN_CHECKS = 64;

/** Processor time of this thread, in milliseconds. Waiting for a busy machine does not count. */
const threadTime = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** The processor time for one input. The work may have several turns, with other work in between. */
export class WorkBudget {
  private left: number;
  private begunAt = 0;
  private steps = 0;

  /** @param limitMs for all turns together @param now processor time in milliseconds, from any start */
  constructor(
    limitMs: number,
    private readonly now: () => number = threadTime,
  ) {
    this.left = limitMs;
  }

  /** Does a turn of the work, which calls `step` regularly. @throws BudgetSpent, and errors of the work */
  turn<T>(work: () => T): T {
    this.begunAt = this.now();
    try {
      return work();
    } finally {
      this.left -= this.now() - this.begunAt;
    }
  }

  /** @throws BudgetSpent if this turn and earlier ones took too long */
  step(): void {
    this.steps += 1;
    if (this.steps % STEPS_BETWEEN_CHECKS !== 1) return;
    if (this.now() - this.begunAt > this.left) throw new WorkBudgetSpent('it takes too much time');
  }
}
