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

/** Whether the caller administers this user: everybody for administrators, members of their groups for subadmins. */
export function administers(caller: Account, user: Account): boolean {
  return caller.isAdmin || (!user.isAdmin && user.groups.some((gid) => caller.subadminOf.includes(gid)));
}

/** The groups a subadmin is limited to; null for administrators. */
export function limitOf(caller: Account): readonly string[] | null {
  return caller.isAdmin ? null : caller.subadminOf;
}
