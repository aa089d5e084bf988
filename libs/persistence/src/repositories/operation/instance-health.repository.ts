import type { Queryable } from '../../database';
import { int4, type RowOf, text, timestamptz } from '../../postgres-types';
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

  /** How many connections to this database bear the name. */
  async sessionsOf(applicationName: string): Promise<number> {
    return (await this.database.rows(SESSIONS, { applicationName }))[0]!.sessions;
  }
}
