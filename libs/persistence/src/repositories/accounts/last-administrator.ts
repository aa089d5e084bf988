import type { Transaction } from '../../database';
import { bool, text } from '../../postgres-types';
import { statement } from '../../statement';

/** Group whose members are administrators. */
export const ADMIN_GROUP = 'admin';

/** The change would leave the instance without an enabled administrator. */
export class LastAdministrator extends Error {}

/** Changes of administrators are made one after the other. Returns no row if the account is none. */
const LOCK = statement({
  name: 'administrator.lock',
  params: { uid: text },
  row: { gid: text },
  sql: `SELECT g.gid FROM user_group g JOIN group_member m ON m.gid = g.gid
   WHERE g.gid = '${ADMIN_GROUP}' AND m.uid = :uid FOR NO KEY UPDATE OF g`,
});
const IS_LAST = statement({
  name: 'administrator.is_last',
  params: { uid: text },
  row: { isLast: bool },
  sql: `SELECT coalesce(bool_or(a.uid = :uid) AND count(*) = 1, false) AS "isLast"
   FROM group_member m JOIN user_account a ON a.uid = m.uid WHERE m.gid = '${ADMIN_GROUP}' AND a.enabled`,
});

/** Refuses a change of the only enabled administrator, before the change and in its transaction. @throws LastAdministrator */
export async function assertNotLastAdministrator(transaction: Transaction, uid: string): Promise<void> {
  if ((await transaction.rows(LOCK, { uid })).length === 0) return;
  const [found] = await transaction.rows(IS_LAST, { uid });
  if (found!.isLast) throw new LastAdministrator();
}
