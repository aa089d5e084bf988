import type { ManagedField } from '#persistence';
import type { Account } from '../account';
import { ProvisioningFailed } from '../provisioning-failed';

const WORDS: Readonly<Record<ManagedField, string>> = {
  displayName: 'display name',
  email: 'mail address',
  quota: 'quota',
  password: 'password',
};

/** Refuses a change of a field that only a source may change. @throws ProvisioningFailed `managed-elsewhere` */
export function assertOurs(account: Pick<Account, 'managedFields' | 'sources'>, field: ManagedField): void {
  if (!account.managedFields.includes(field)) return;
  throw new ProvisioningFailed(
    'managed-elsewhere',
    `The ${WORDS[field]} of this account is changed at its source (${account.sources.join(', ')})`,
  );
}

/** Refusal to change the members of a group that belongs to a source. */
export const membersKeptElsewhere = (gid: string): ProvisioningFailed =>
  new ProvisioningFailed('managed-elsewhere', `The members of the group ${gid} are changed at its source`);
