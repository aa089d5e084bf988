import { actingText } from '../../acting-text';
import type { Transaction } from '../../database';
import { ExternalMembershipEntity } from '../../entities/accounts/external-group.entity';
import { text } from '../../postgres-types';
import { ACTING, statement } from '../../statement';
import { lockAccountState } from './account-state.repository';
import {
  endMemberships,
  LISTED,
  LISTED_PARAMS,
  lockGroups,
  membershipColumns,
  type Membership,
} from './memberships';
import type { SourceName } from './source-name';

/** Maximum of memberships per statement. */
const AT_ONCE = 2000;

/** A membership that was made here does not become the source's. */
const GIVE = statement({
  name: 'external_group.give',
  params: { kind: text, source: text, ...LISTED_PARAMS, acting: text },
  sql: `WITH fresh AS (
     INSERT INTO group_member (gid, uid) SELECT gid, uid FROM ${LISTED} WHERE ${ACTING} ON CONFLICT DO NOTHING RETURNING gid, uid
   )
   INSERT INTO external_membership (gid, uid, kind, source) SELECT gid, uid, :kind, :source FROM ${LISTED}
   WHERE (gid, uid) IN (SELECT gid, uid FROM fresh)
     OR EXISTS (SELECT FROM external_membership e WHERE e.gid = listed.gid AND e.uid = listed.uid)
   ON CONFLICT DO NOTHING`,
});

/** Ends memberships that no other source gives. */
const TAKE = statement({
  name: 'external_group.take',
  params: { kind: text, source: text, ...LISTED_PARAMS },
  row: { gid: text, uid: text },
  sql: `WITH taken AS (
     DELETE FROM external_membership e USING ${LISTED}
     WHERE e.gid = listed.gid AND e.uid = listed.uid AND e.kind = :kind AND e.source = :source RETURNING e.gid, e.uid
   )
   SELECT gid, uid FROM taken WHERE NOT EXISTS (SELECT FROM external_membership other
     WHERE other.gid = taken.gid AND other.uid = taken.uid AND (other.kind <> :kind OR other.source <> :source))`,
});

/** The account, or the group, whose memberships a source changes. */
export type MembershipsOf = { readonly uid: string } | { readonly gid: string };

/** Groups of the account, or members of the group, by their ids. */
export interface MembershipChange {
  readonly joined: readonly string[];
  /** `others`: all that do not join. */
  readonly left: readonly string[] | 'others';
}

/**
 * Changes memberships that a source gives, in a transaction: two changes of one group, or of one account, come one after the other.
 * Memberships that were made here, or that another source gives, too, stay.
 * @returns those that the source gives now and did not before, and those that it gave before and does not now
 */
export async function changeGiven(
  transaction: Transaction,
  { kind, source }: SourceName,
  of: MembershipsOf,
  { joined, left }: MembershipChange,
): Promise<readonly Membership[]> {
  await ('uid' in of ? lockAccountState(transaction, of.uid) : lockGroups(transaction, [of.gid]));
  const memberships = await transaction.repository(ExternalMembershipEntity);
  const before = new Set((await memberships.findBy({ kind, source, ...of })).map(otherEnd(of)));
  const stay = new Set(joined);
  const leaving = left === 'others' ? before : new Set(left);
  const taken = [...before].filter((id) => leaving.has(id) && !stay.has(id)).map(membershipFor(of));
  const given = [...stay].filter((id) => !before.has(id)).map(membershipFor(of));
  if ('uid' in of)
    await lockGroups(
      transaction,
      [...taken, ...given].map(({ gid }) => gid),
    );
  for (const part of inParts(taken)) {
    const ended = await transaction.rows(TAKE, { kind, source, ...membershipColumns(part) });
    await endMemberships(transaction, ended);
  }
  for (const part of inParts(given))
    await transaction.rows(GIVE, { kind, source, ...membershipColumns(part), acting: actingText() });
  return [...taken, ...given];
}

/** The id of the group for the memberships of an account, and that of the account for those of a group. */
export const otherEnd =
  (of: MembershipsOf) =>
  ({ gid, uid }: Membership): string =>
    'uid' in of ? gid : uid;

const membershipFor =
  (of: MembershipsOf) =>
  (id: string): Membership =>
    'uid' in of ? { gid: id, uid: of.uid } : { gid: of.gid, uid: id };

function* inParts(memberships: readonly Membership[]): Generator<readonly Membership[]> {
  for (let at = 0; at < memberships.length; at += AT_ONCE) yield memberships.slice(at, at + AT_ONCE);
}
