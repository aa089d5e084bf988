import type { Metrics } from '#platform';
import type { Database } from './database';
import { schemaDifference } from './migrate';
import type { AnsweredBy } from './read-replica';
import { InstanceHealthRepository } from './repositories/operation/instance-health.repository';

/**
 * Metrics of this process's connections, and of the database server: its connections, its
 * clock and its schema.
 */
export function watchDatabase(metrics: Metrics, database: Database): void {
  const health = new InstanceHealthRepository(database);
  metrics.gauge(
    'database_connections',
    'Connections to Postgres, and callers that wait for one',
    ['state'],
    () => byState(database.usage()),
  );
  metrics.gauge(
    'database_server_connections',
    'Connections of all clients to the database server: in use, and as many as it allows',
    ['state'],
    async () => {
      const { connections, maxConnections } = await health.server();
      return byState({ used: connections, allowed: maxConnections });
    },
  );
  metrics.gauge(
    'clock_skew_seconds',
    'By how much the clock of the database server is ahead of that of this process',
    [],
    async () => [{ labels: {}, value: await secondsAhead(health) }],
  );
  metrics.gauge(
    'schema_differences',
    'Migrations and functions that the database lacks (missing), or that a newer version applied (newer)',
    ['state'],
    async () => {
      const { missing, newer } = await schemaDifference(database);
      return byState({ missing: missing.length, newer: newer.length });
    },
  );
}

/** Counts reads that a replica may answer. */
export function countReads(metrics: Metrics): (by: AnsweredBy) => void {
  const reads = metrics.counter(
    'replica_reads_total',
    'Reads that the replica may answer, by the server that answered',
    ['server'],
  );
  return (server) => reads.inc({ server });
}

/** The question may take a while: the answer is compared with the middle of it. */
async function secondsAhead(health: InstanceHealthRepository): Promise<number> {
  const before = Date.now();
  const { now } = await health.server();
  return (now.getTime() - (before + Date.now()) / 2) / 1000;
}

const byState = (values: Readonly<Record<string, number>>) =>
  Object.entries(values).map(([state, value]) => ({ labels: { state }, value }));
