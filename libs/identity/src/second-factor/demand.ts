import type { SharingPolicy } from '#sharing';
import type { Account } from '../account';

/** Whether an account is required to have a second factor, because of one of its groups. */
export const hasToHaveSecondFactor = (
  { secondFactorGroups }: Pick<SharingPolicy, 'secondFactorGroups'>,
  { groups }: Pick<Account, 'groups'>,
): boolean => groups.some((gid) => secondFactorGroups.includes(gid));

/** Whether an account's main password is not enough: it has a second factor, or is required to have one. */
export const demandsSecondFactor = (
  policy: Pick<SharingPolicy, 'secondFactorGroups'>,
  account: Pick<Account, 'groups' | 'hasSecondFactor'>,
): boolean => account.hasSecondFactor || hasToHaveSecondFactor(policy, account);
