import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Database } from '#persistence';
import type { FuzzReply } from './wire';

/** Statuses of 500 and more that are intended: not built, try again, no space, no such HTTP version. */
const DELIBERATE = [501, 503, 505, 507];
/** Codes of OCS envelopes for unexpected errors. */
const FAILED_ENVELOPE = /<statuscode>(?:996|500)<|"statuscode":(?:996|500)\b/;
const QUARTERS_MAY_GROW_BYTES = 48 * 1024 * 1024;

/** Tables that calls without an account change on purpose: counters of limits, the audit log, news that are kept for a minute, and waiting clients with their own bounds. */
const UNCOUNTED = ['throttle', 'call_budget', 'operation_sample', 'push_news', 'audit_event', 'login_flow'];
/** Tables with at most one new row for each accepted offer. */
const MADE_BY_OFFERS = ['received_share', 'peer', 'notification'];

export const isUnexpected = ({ status, body }: FuzzReply): boolean =>
  status === 'silent' ||
  (typeof status === 'number' && status >= 500 && !DELIBERATE.includes(status)) ||
  FAILED_ENVELOPE.test(body);

/** Number of rows in each table. */
export async function countRows(database: Database): Promise<Map<string, number>> {
  const tables = await database.dataSource.query<{ name: string }[]>(
    `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1`,
  );
  const counted = tables.filter(({ name }) => !UNCOUNTED.includes(name));
  const parts = counted.map(({ name }) => `SELECT '${name}' AS name, count(*)::int AS rows FROM "${name}"`);
  const counts = await database.dataSource.query<{ name: string; rows: number }[]>(parts.join(' UNION ALL '));
  return new Map(counts.map(({ name, rows }) => [name, rows]));
}

/** Tables with more or fewer rows than the answers explain. */
export function unexplainedRows(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
  offersTaken: number,
): string[] {
  return [...after].flatMap(([name, rows]) => {
    const more = rows - (before.get(name) ?? 0);
    const most = MADE_BY_OFFERS.includes(name) ? offersTaken : 0;
    return more < 0 || more > most ? [`table ${name} has ${more} rows more`] : [];
  });
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes in use after a garbage collection. */
export function bytesInUse(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** @param quarters bytes in use at the end of each quarter */
export function growth(quarters: readonly number[]): string[] {
  const more = quarters.at(-1)! - quarters[0]!;
  return more > QUARTERS_MAY_GROW_BYTES ? [`memory grew by ${more} bytes: ${quarters.join(', ')}`] : [];
}
