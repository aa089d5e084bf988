import pg from 'pg';

const CUT = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = $1 AND application_name = 'drawbridge change feed'`;

/** Cuts the connection of every change feed of a database. @returns their number */
export async function cutChangeFeeds(databaseUrl: string): Promise<number> {
  return administer(databaseUrl, async (client, name) => (await client.query(CUT, [name])).rowCount ?? 0);
}

/** The same as cutChangeFeeds, and new connections fail during `work`; existing connections stay usable. */
export async function withChangeFeedsDown<T>(databaseUrl: string, work: () => Promise<T>): Promise<T> {
  return administer(databaseUrl, async (client, name) => {
    await client.query(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS false`);
    try {
      await client.query(CUT, [name]);
      return await work();
    } finally {
      await client.query(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS true`);
    }
  });
}

async function administer<T>(
  databaseUrl: string,
  work: (client: pg.Client, name: string) => Promise<T>,
): Promise<T> {
  const url = new URL(databaseUrl);
  const name = url.pathname.slice(1);
  url.pathname = '/postgres';
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    return await work(client, name);
  } finally {
    await client.end();
  }
}
