import type { Budget, CallBudgetRepository } from '#persistence';
import { boundedCache } from '#platform';

/** Maximum that one process spends from a bucket before it reports, as a part of the capacity. */
const UNTOLD_PART = 1 / 50;
/** With this number of replicas, unreported spending still stays within the limit. */
const REPLICAS = 10;
const REMEMBERED_BUCKETS = 50_000;
const FORGET_EVERY_MS = 600_000;

interface Ledger {
  /** Points since the last report to the database. */
  untold: number;
  /** Level after a part of the refill is counted; it decides when to report. */
  level: number;
  levelAt: number;
  barredUntil: number;
}

/** A budget is exhausted; the caller may try again after `retryAfterSeconds`. */
export class BudgetSpent extends Error {
  constructor(readonly retryAfterSeconds: number) {
    super('too many calls');
  }
}

/**
 * Leaky buckets that all replicas share. Spending is counted in the process and reported to the database in steps, so
 * that callers below a tenth of the limit never cost a statement, and others cost one in many calls. Callers over
 * their budget are refused from the process's memory, without a statement.
 */
export class SharedBudgets {
  private readonly ledgers = boundedCache<Ledger>(REMEMBERED_BUCKETS);
  private forgottenAt = Date.now();

  constructor(private readonly repository: CallBudgetRepository) {}

  /** @throws BudgetSpent if nothing is left; refused calls cost no points */
  async spend(bucket: string, points: number, budget: Budget): Promise<void> {
    this.assertLeft(bucket);
    const ledger = this.ledgerOf(bucket);
    const now = Date.now();
    const back = ((now - ledger.levelAt) / 1000) * (budget.perSecond / REPLICAS);
    ledger.level = Math.max(0, ledger.level - back) + points;
    ledger.levelAt = now;
    ledger.untold = ledger.level === points ? points : ledger.untold + points;
    if (ledger.level > budget.capacity * UNTOLD_PART) await this.report(bucket, ledger, budget);
  }

  /** @throws BudgetSpent if the process knows that nothing is left */
  assertLeft(bucket: string): void {
    const leftMs = (this.ledgers.get(bucket)?.barredUntil ?? 0) - Date.now();
    if (leftMs > 0) throw new BudgetSpent(Math.ceil(leftMs / 1000));
  }

  private ledgerOf(bucket: string): Ledger {
    const known = this.ledgers.get(bucket);
    if (known) return known;
    const ledger = { untold: 0, level: 0, levelAt: Date.now(), barredUntil: 0 };
    this.ledgers.set(bucket, ledger);
    return ledger;
  }

  private async report(bucket: string, ledger: Ledger, budget: Budget): Promise<void> {
    const points = ledger.untold;
    [ledger.untold, ledger.level] = [0, 0];
    const overdrawn = await this.repository.spend(bucket, points, budget);
    await this.forgetSometimes();
    if (overdrawn === 0) return;
    ledger.barredUntil = Date.now() + Math.max(1000, (overdrawn / budget.perSecond) * 1000);
    this.assertLeft(bucket);
  }

  private async forgetSometimes(): Promise<void> {
    if (Date.now() - this.forgottenAt < FORGET_EVERY_MS) return;
    this.forgottenAt = Date.now();
    await this.repository.forgetUnused();
  }
}
