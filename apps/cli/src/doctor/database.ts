import { resolve } from 'node:path';
import { exposureOf } from '#embedded-database';
import {
  Database,
  examineReplica,
  InstanceHealthRepository,
  poolerOf,
  schemaDifference,
  UnfinishedRestore,
  UnfitReplica,
  type SchemaDifference,
} from '#persistence';
import type { Config } from '#platform';
import { failed, ok, warning, type Check, type Finding } from './finding';

const OLDEST_SERVER = 150_000;
/** Number of apps with a connection pool: two replicas of four apps, and two workers. */
const USUAL_PROCESSES = 10;
const NEARLY_ALL = 0.9;

/** Checks whether the schema is that of this version, and the server version is sufficient. */
export const DATABASE_CHECK: Check = {
  name: 'database',
  look: async (instance) => {
    const database = await instance.open();
    const health = new InstanceHealthRepository(database);
    const unfinished = await new UnfinishedRestore(database).isPresent();
    return [
      unfinished
        ? failed('schema', 'a restore is under way or was cut off', "Run 'drawbridge restore' again.")
        : schemaFinding(await schemaDifference(database)),
      ...serverFindings(await health.server(), instance.config.DATABASE_POOL, instance.isEmbedded),
      ...(await poolerFindings(instance.config)),
      ...(await replicaFindings(instance.config, database)),
      ...(instance.isEmbedded ? accountFindings(instance.config.DATA_DIR) : []),
    ];
  },
};

/** Whether requests can use the pooler, if there is one. */
async function poolerFindings(config: Config): Promise<Finding[]> {
  const pooler = poolerOf(config);
  if (!pooler) return [];
  try {
    const options = { url: config.DATABASE_URL!, poolSize: 2, applicationName: 'drawbridge command', pooler };
    await (await Database.connect(options)).close();
    return [ok('pooler', new URL(pooler.url).host)];
  } catch (error) {
    return [failed('pooler', (error as Error).message, 'Correct it as docs/operations/scale.md says.')];
  }
}

/** Whether the replica can answer reads, if there is one. */
async function replicaFindings(config: Config, database: Database): Promise<Finding[]> {
  const url = config.DATABASE_REPLICA_URL;
  if (url === undefined || !config.DATABASE_URL) return [];
  const { host } = new URL(url);
  try {
    const behind = await examineReplica({ url, applicationName: 'drawbridge command' }, database);
    const advice = 'See why it does not keep up. Meanwhile the primary answers all reads.';
    return [
      behind > 0
        ? warning('replica', `${host} lacks ${behind} bytes of the log after a second`, advice)
        : ok('replica', host),
    ];
  } catch (error) {
    const seen = `DATABASE_REPLICA_URL (${host}) is not used: ${(error as Error).message}`;
    return error instanceof UnfitReplica
      ? [failed('replica', seen, 'Name a standby of DATABASE_URL, as docs/operations/scale.md says.')]
      : [
          warning(
            'replica',
            seen,
            'Start it, or remove DATABASE_REPLICA_URL. The primary answers all reads.',
          ),
        ];
  }
}

/** Whether other programs can read the embedded database. */
function accountFindings(dataDirectory: string): Finding[] {
  const exposure = exposureOf(resolve(dataDirectory));
  if (exposure === undefined) return [];
  const advice = `Stop the gateway, run 'useradd --system drawbridge-db', and start it again as root; or run it as an account of its own.`;
  return [warning('account', exposure, advice)];
}

function schemaFinding({ missing, newer, latest }: SchemaDifference): Finding {
  if (missing.length > 0)
    return failed('schema', `lacks ${missing.join(', ')}`, "Run 'drawbridge migrate' with this version.");
  return newer.length > 0
    ? warning(
        'schema',
        `has ${newer.join(', ')} of a newer version`,
        'Finish the upgrade: bring all processes to that version.',
      )
    : ok('schema', `up to date (${latest})`);
}

function serverFindings(
  { version, maxConnections, connections }: Awaited<ReturnType<InstanceHealthRepository['server']>>,
  pool: number,
  isEmbedded: boolean,
): Finding[] {
  const release = `PostgreSQL ${Math.floor(version / 10_000)}.${version % 10_000}`;
  const server =
    version < OLDEST_SERVER
      ? failed('server', release, 'Take PostgreSQL 15 or newer.')
      : ok('server', `${release}${isEmbedded ? ', embedded' : ''}`);
  const seen = `${connections} of ${maxConnections} in use, DATABASE_POOL ${pool}`;
  const advice =
    'Raise max_connections of Postgres, or lower DATABASE_POOL (docs/operations/scale.md counts them).';
  if (connections > maxConnections * NEARLY_ALL) return [server, failed('connections', seen, advice)];
  const isTight = !isEmbedded && (pool + 1) * USUAL_PROCESSES > maxConnections;
  return [server, isTight ? warning('connections', seen, advice) : ok('connections', seen)];
}
