/** Work on one input took more processor time than it may. */
export class WorkBudgetSpent extends Error {}

/** Asking for the time costs more than a small step of work, so not every step asks. */
const STEPS_BETWEEN_CHECKS = 64;

/** Processor time that this thread has used, in milliseconds. Waiting for a busy machine does not count. */
const threadTime = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** The processor time that one input may cost. An input can be worked on in several turns, between which others run. */
export class WorkBudget {
  private left: number;
  private begunAt = 0;
  private steps = 0;

  /** @param limitMs of all turns together @param now processor time in milliseconds, from any start */
  constructor(
    limitMs: number,
    private readonly now: () => number = threadTime,
  ) {
    this.left = limitMs;
  }

  /** Does a turn of the work, which calls `step` as it goes on. @throws BudgetSpent, and what the work throws */
  turn<T>(work: () => T): T {
    this.begunAt = this.now();
    try {
      return work();
    } finally {
      this.left -= this.now() - this.begunAt;
    }
  }

  /** @throws BudgetSpent where this turn and those before it took too long */
  step(): void {
    this.steps += 1;
    if (this.steps % STEPS_BETWEEN_CHECKS !== 1) return;
    if (this.now() - this.begunAt > this.left) throw new WorkBudgetSpent('it takes too much time');
  }
}
