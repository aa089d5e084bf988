import type { SharingPolicy } from '#sharing';
import type { Account } from '../account';

/** Whether an account has to have a second factor, by one of its groups. */
export const hasToHaveSecondFactor = (
  { secondFactorGroups }: Pick<SharingPolicy, 'secondFactorGroups'>,
  { groups }: Pick<Account, 'groups'>,
): boolean => groups.some((gid) => secondFactorGroups.includes(gid));

/** Whether the main password of an account is not enough: it has a second factor, or has to have one. */
export const demandsSecondFactor = (
  policy: Pick<SharingPolicy, 'secondFactorGroups'>,
  account: Pick<Account, 'groups' | 'hasSecondFactor'>,
): boolean => account.hasSecondFactor || hasToHaveSecondFactor(policy, account);
