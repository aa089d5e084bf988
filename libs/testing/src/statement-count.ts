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

/** How many transactions `work` begins on `database`. */
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

/** The same with those inside of transactions; their beginning and end are not counted. */
export async function countAllStatements(database: Database, work: () => Promise<unknown>): Promise<number> {
  const original = database.transaction.bind(database);
  let inside = 0;
  database.transaction = (run) =>
    original((transaction) =>
      run({
        rows: (...call) => {
          inside++;
          return transaction.rows(...call);
        },
      }),
    );
  try {
    const outside = await countStatements(database, work);
    return outside + inside;
  } finally {
    database.transaction = original;
  }
}
