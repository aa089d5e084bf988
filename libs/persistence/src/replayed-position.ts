import { bool, int4, int8, nullable, text } from './postgres-types';
import { statement, type AnyStatement, type ArgumentsOf, type RowIn } from './statement';

/** A place in the write-ahead log, in bytes from its start, and the timeline in which it lies. */
export interface LogPosition {
  readonly timeline: number;
  readonly bytes: number;
}

/**
 * The end of the log that is safe on the primary's disk. Every commit that was acknowledged before this statement lies before it, unless it
 * did not wait for the disk (ADR 0013). Timelines begin the names of log files.
 */
export const WRITTEN = statement({
  name: 'replica.written',
  row: { timeline: int4, bytes: int8 },
  sql: `SELECT ('x' || left(pg_walfile_name(flushed), 8))::bit(32)::int AS timeline,
    pg_wal_lsn_diff(flushed, '0/0')::bigint AS bytes
    FROM pg_current_wal_flush_lsn() AS flushed`,
});

/** The end of the log that a standby has applied. Its timeline is that of its last restart point, so never one that it does not follow yet. */
const REPLAYED = statement({
  name: 'replica.replayed',
  row: { is_standby: bool, timeline: int4, bytes: nullable(int8) },
  sql: `SELECT pg_is_in_recovery() AS is_standby, (pg_control_checkpoint()).timeline_id AS timeline,
    pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::bigint AS bytes`,
});

/** Server and database, the same for a primary and all its standbys; also whether a commit is on disk before it is acknowledged. */
const IDENTITY = statement({
  name: 'replica.identity',
  row: { server: text, database: int8, flushes: bool },
  sql: `SELECT (pg_control_system()).system_identifier::text AS server,
    (SELECT oid::bigint FROM pg_database WHERE datname = current_database()) AS database,
    current_setting('synchronous_commit') <> 'off' AS flushes`,
});

/** Whether a read at `replayed` sees every commit that lies before `written`. */
export function covers(replayed: LogPosition | undefined, written: LogPosition): boolean {
  return replayed !== undefined && replayed.timeline === written.timeline && replayed.bytes >= written.bytes;
}

/** Runs statements on one server. */
export interface AskedServer {
  rows<S extends AnyStatement>(statement: S, ...values: ArgumentsOf<S>): Promise<RowIn<S>[]>;
}

/** A server that cannot answer in place of the primary. The message says why. */
export class UnfitReplica extends Error {}

/** How far a standby is. @throws UnfitReplica if the server is no standby */
export async function replayedPosition(server: AskedServer): Promise<LogPosition> {
  const [row] = await server.rows(REPLAYED);
  if (!row!.is_standby || row!.bytes === null)
    throw new UnfitReplica('it accepts writes: it is no standby, or was promoted');
  return { timeline: row!.timeline, bytes: row!.bytes };
}

/** @throws UnfitReplica if `replica` is no standby of `primary` in the same timeline */
export async function checkReplica(primary: AskedServer, replica: AskedServer): Promise<void> {
  const [[own], [other]] = [await primary.rows(IDENTITY), await replica.rows(IDENTITY)];
  if (own!.server !== other!.server || own!.database !== other!.database)
    throw new UnfitReplica('it is no copy of the database of DATABASE_URL');
  if (!own!.flushes)
    throw new UnfitReplica(
      'synchronous_commit is off at the primary, which then cannot say how far its commits are',
    );
  const { timeline } = await replayedPosition(replica);
  const [written] = await primary.rows(WRITTEN);
  if (timeline !== written!.timeline)
    throw new UnfitReplica(
      `its last restart point is in timeline ${timeline}, and the primary is in timeline ${written!.timeline}`,
    );
}
