import type { Database } from '#persistence';

/** How many statements `work` runs on `database` outside of transactions. */
export async function countStatements(database: Database, work: () => Promise<unknown>): Promise<number> {
  const original = database.rows.bind(database);
  let count = 0;
  database.rows = (...call) => {
    count++;
    return original(...call);
  };
  try {
    await work();
    return count;
  } finally {
    database.rows = original;
  }
}
