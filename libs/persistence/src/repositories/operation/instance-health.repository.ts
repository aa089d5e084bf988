import type { Queryable } from '../../database';
import { statement } from '../../statement';

const SERVER = statement<ServerFacts>(
  'instance_health.server',
  `SELECT clock_timestamp() AS now, current_setting('server_version_num')::int AS version,
     current_setting('max_connections')::int AS "maxConnections",
     (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections`,
);
const HAS_SCHEMA = statement<{ present: boolean }>(
  'instance_health.has_schema',
  `SELECT to_regclass('schema_migration') IS NOT NULL AS present`,
);
const APPLIED = statement<{ name: string }>(
  'instance_health.applied',
  'SELECT name::text FROM schema_migration ORDER BY timestamp',
);
const SESSIONS = statement<{ sessions: number }>(
  'instance_health.sessions',
  `SELECT count(*)::int AS sessions FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1`,
);

/** Facts that the database server reports about itself. */
export interface ServerFacts {
  readonly now: Date;
  /** Such as 180004. */
  readonly version: number;
  readonly maxConnections: number;
  /** Of all clients, at this moment. */
  readonly connections: number;
}

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
    return (await this.database.rows(SESSIONS, [applicationName]))[0]!.sessions;
  }
}
