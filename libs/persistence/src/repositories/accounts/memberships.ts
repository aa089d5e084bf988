import { SHARE_TYPES } from '#sharing';
import { actingText } from '../../acting-text';
import type { Transaction } from '../../database';
import { array, text } from '../../postgres-types';
import { ACTING, statement } from '../../statement';

/** The membership of one account in one group. */
export interface Membership {
  readonly gid: string;
  readonly uid: string;
}

export const LISTED_PARAMS = { gids: array(text), uids: array(text) };
/** Memberships as parameters, which `membershipColumns` makes. */
export const LISTED = 'unnest(:gids::text[], :uids::text[]) AS listed (gid, uid)';

/** Memberships of a group are changed one after the other, so that each change sees those that the sources give. */
const LOCK = statement({
  name: 'external_group.lock',
  params: { gids: array(text) },
  sql: 'SELECT FROM user_group WHERE gid = ANY(:gids::text[]) ORDER BY gid FOR NO KEY UPDATE',
});

const END = statement({
  name: 'group.end_memberships',
  params: { ...LISTED_PARAMS, acting: text },
  sql: `DELETE FROM group_member m USING ${LISTED} WHERE m.gid = listed.gid AND m.uid = listed.uid AND ${ACTING}`,
});

const FORGET_PERSONAL_ROWS = statement({
  name: 'group.forget_personal_rows',
  params: LISTED_PARAMS,
  sql: `DELETE FROM share_recipient r USING share s, ${LISTED}
   WHERE r.share_id = s.id AND s.share_type = ${SHARE_TYPES.group} AND s.recipient_canonical = listed.gid AND r.uid = listed.uid`,
});

/** Waits for other changes of the members of these groups, and lets others wait until the transaction ends. */
export async function lockGroups(transaction: Transaction, gids: readonly string[]): Promise<void> {
  await transaction.rows(LOCK, { gids: [...new Set(gids)] });
}

/** Ends memberships within a transaction. */
export async function endMemberships(
  transaction: Transaction,
  memberships: readonly Membership[],
): Promise<void> {
  if (memberships.length === 0) return;
  const listed = membershipColumns(memberships);
  await transaction.rows(END, { ...listed, acting: actingText() });
  await transaction.rows(FORGET_PERSONAL_ROWS, listed);
}

/** Parameters for a statement with `LISTED`. */
export function membershipColumns(memberships: readonly Membership[]): {
  readonly gids: readonly string[];
  readonly uids: readonly string[];
} {
  return { gids: memberships.map(({ gid }) => gid), uids: memberships.map(({ uid }) => uid) };
}
