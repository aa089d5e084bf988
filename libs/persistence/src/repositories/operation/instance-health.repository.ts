import type { Queryable } from '../../database';
import { bool, int4, type RowOf, text, timestamptz } from '../../postgres-types';
import { statement } from '../../statement';

/** Facts that the database server reports about itself. */
const SERVER_FACTS = {
  now: timestamptz,
  /** Such as 180004. */
  version: int4,
  maxConnections: int4,
  /** Of all clients, at this moment. */
  connections: int4,
};
export type ServerFacts = RowOf<typeof SERVER_FACTS>;

const SERVER = statement({
  name: 'instance_health.server',
  row: SERVER_FACTS,
  sql: `SELECT clock_timestamp() AS now, current_setting('server_version_num')::int AS version,
     current_setting('max_connections')::int AS "maxConnections",
     (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections`,
});
const HAS_SCHEMA = statement({
  name: 'instance_health.has_schema',
  row: { present: bool },
  sql: `SELECT to_regclass('schema_migration') IS NOT NULL AS present`,
});
const APPLIED = statement({
  name: 'instance_health.applied',
  row: { name: text },
  sql: 'SELECT name::text FROM schema_migration ORDER BY timestamp',
});
const SESSIONS = statement({
  name: 'instance_health.sessions',
  params: { applicationName: text },
  row: { sessions: int4 },
  sql: `SELECT count(*)::int AS sessions FROM pg_stat_activity WHERE datname = current_database() AND application_name = :applicationName`,
});

/** Questions of `drawbridge doctor` to the database; works on any schema, and on none. */
export class InstanceHealthRepository {
  constructor(private readonly database: Queryable) {}

  async server(): Promise<ServerFacts> {
    return (await this.database.rows(SERVER))[0]!;
  }

  /** Names of the migrations that were run, oldest first. */
  async appliedMigrations(): Promise<string[]> {
    if (!(await this.database.rows(HAS_SCHEMA))[0]!.present) return [];
    return (await this.database.rows(APPLIED)).map(({ name }) => name);
  }

  /** How many connections to this database bear the name. */
  async sessionsOf(applicationName: string): Promise<number> {
    return (await this.database.rows(SESSIONS, { applicationName }))[0]!.sessions;
  }
}
