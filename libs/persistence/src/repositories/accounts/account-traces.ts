import type { Transaction } from '../../database';
import { ALLOW_PSEUDONYM, ERASURES, NOTE_ERASED, PSEUDONYMISE } from './account-trace-statements';

const ROWS_AT_ONCE = 10_000;
const AUDIT = 'audit_event';
const TABLES = [...ERASURES.keys(), AUDIT];

interface Ending {
  readonly uid: string;
  readonly pseudonym: string;
  readonly erasing: string | null;
  readonly erasedTo: number;
}

/** Erases an account's name from the next rows of other tables. @returns false when all were checked */
export async function eraseNext(transaction: Transaction, end: Ending): Promise<boolean> {
  const table = end.erasing ?? TABLES[0]!;
  const last = await eraseIn(transaction, table, end);
  const following = TABLES[TABLES.indexOf(table) + 1];
  if (last === null && following === undefined) return false;
  const erasing = last === null ? following! : table;
  await transaction.rows(NOTE_ERASED, { uid: end.uid, erasing, erasedTo: last ?? 0 });
  return true;
}

/** Gives the pseudonym to newer rows of the audit log, in the transaction of the last row. */
export async function pseudonymiseRest(transaction: Transaction, end: Ending): Promise<void> {
  for (let after: number | null = end.erasedTo; after !== null;)
    after = await eraseIn(transaction, AUDIT, { ...end, erasedTo: after });
}

/** @returns the last checked id; null after the end */
async function eraseIn(
  transaction: Transaction,
  table: string,
  { uid, pseudonym, erasedTo: after }: Ending,
): Promise<number | null> {
  const range = { uid, after, limit: ROWS_AT_ONCE };
  const erasure = ERASURES.get(table);
  if (erasure) return (await transaction.rows(erasure, range))[0]!.last;
  await transaction.rows(ALLOW_PSEUDONYM, { uid, pseudonym });
  return (await transaction.rows(PSEUDONYMISE, { ...range, pseudonym }))[0]!.last;
}
