import type { Database, Queryable } from '#persistence';
import type { BeforeQueryEvent, EntitySubscriberInterface } from 'typeorm';
import { isBackgroundStatement } from './background-statements';

/** Counts statements of TypeORM's repositories. */
class EntityQueries implements EntitySubscriberInterface {
  outside = 0;
  inside = 0;

  beforeQuery({ queryRunner }: BeforeQueryEvent): void {
    if (queryRunner.isTransactionActive) this.inside++;
    else this.outside++;
  }

  /** Counts while `work` runs. */
  async during(database: Database, work: () => Promise<unknown>): Promise<void> {
    const { subscribers } = database.dataSource;
    subscribers.push(this);
    try {
      await work();
    } finally {
      subscribers.splice(subscribers.indexOf(this), 1);
    }
  }
}

/** Number of statements that `work` runs on `database` outside of transactions, without background statements. */
export async function countStatements(database: Database, work: () => Promise<unknown>): Promise<number> {
  const original = database.rows.bind(database);
  let count = 0;
  database.rows = (...call) => {
    if (!isBackgroundStatement(call[0].name)) count++;
    return original(...call);
  };
  const entities = new EntityQueries();
  try {
    await entities.during(database, work);
    return count + entities.outside;
  } finally {
    database.rows = original;
  }
}

/** Number of transactions that `work` begins on `database`. */
export async function countTransactions(database: Database, work: () => Promise<unknown>): Promise<number> {
  const original = database.transaction.bind(database);
  let count = 0;
  database.transaction = (...call) => {
    count++;
    return original(...call);
  };
  try {
    await work();
    return count;
  } finally {
    database.transaction = original;
  }
}

/** The same, including statements inside of transactions, without their begin and end. */
export async function countAllStatements(database: Database, work: () => Promise<unknown>): Promise<number> {
  const original = database.transaction.bind(database);
  let inside = 0;
  const counted = (queryable: Queryable): Queryable => ({
    rows: (...call) => {
      inside++;
      return queryable.rows(...call);
    },
  });
  database.transaction = (run) =>
    original((transaction) =>
      run({
        ...counted(transaction),
        last: counted(transaction.last),
        repository: (entity) => transaction.repository(entity),
      }),
    );
  const entities = new EntityQueries();
  try {
    const outside = await countStatements(database, () => entities.during(database, work));
    return outside + inside + entities.inside;
  } finally {
    database.transaction = original;
  }
}
