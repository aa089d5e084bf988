import { hostname } from 'node:os';
import type { Queryable } from '../../database';
import { int4, type RowOf, text, timestamptz } from '../../postgres-types';
import { statement } from '../../statement';

const PROCESS_PREFIX = 'drawbridge app ';

/** Name of this process's connections, which contains its version and machine. @param version of the program */
export const processName = (version: string): string =>
  `${PROCESS_PREFIX}${version} ${process.pid}@${hostname()}`.slice(0, 63);

/** Facts that the database server reports about itself. */
const SERVER_FACTS = {
  now: timestamptz,
  /** A number such as 180004. */
  version: int4,
  maxConnections: int4,
  /** Connections of all clients at this time. */
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

const PROCESS = {
  /** The name of its connections, such as `0.1.0 4711@gateway-1`. */
  name: text,
  connections: int4,
  since: timestamptz,
};
type ConnectedProcess = RowOf<typeof PROCESS>;
const PROCESSES = statement({
  name: 'instance_health.processes',
  params: { prefix: text },
  row: PROCESS,
  sql: `SELECT substr(application_name, length(:prefix::text) + 1) AS name, count(*)::int AS connections, min(backend_start) AS since
   FROM pg_stat_activity WHERE datname = current_database() AND starts_with(application_name, :prefix)
   GROUP BY application_name ORDER BY application_name`,
});

/** Queries of `drawbridge doctor` to the database. They work on any schema, and on none. */
export class InstanceHealthRepository {
  constructor(private readonly database: Queryable) {}

  async server(): Promise<ServerFacts> {
    return (await this.database.rows(SERVER))[0]!;
  }

  /** Processes of this product that are connected to this database now. */
  processes(): Promise<ConnectedProcess[]> {
    return this.database.rows(PROCESSES, { prefix: PROCESS_PREFIX });
  }

  /** Number of connections to this database with this name. */
  async sessionsOf(applicationName: string): Promise<number> {
    return (await this.database.rows(SESSIONS, { applicationName }))[0]!.sessions;
  }
}
