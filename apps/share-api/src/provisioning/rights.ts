import type { Account } from '#identity';
import { unauthorised } from './provisioning-failures';

/** @throws unless the caller is an administrator */
export function assertAdmin(caller: Account): void {
  if (!caller.isAdmin) throw unauthorised();
}

/** @throws unless the caller administers users at all */
export function assertSomeAdmin(caller: Account): void {
  if (!caller.isAdmin && caller.subadminOf.length === 0) throw unauthorised();
}

/** Whether the caller may see this user: administrators see everybody, group administrators see members of their groups. */
export function oversees(caller: Account, user: Account): boolean {
  return caller.isAdmin || (!user.isAdmin && user.groups.some((gid) => caller.subadminOf.includes(gid)));
}

/**
 * Whether the caller may change this user's account. A group administrator may not change the account of anybody who
 * administers something: neither an administrator, nor another group administrator, nor their own account beyond what
 * every user may.
 */
export function administers(caller: Account, user: Account): boolean {
  return caller.isAdmin || (user.subadminOf.length === 0 && oversees(caller, user));
}

/** The groups to which a subadmin is limited; null for administrators. */
export function limitOf(caller: Account): readonly string[] | null {
  return caller.isAdmin ? null : caller.subadminOf;
}
