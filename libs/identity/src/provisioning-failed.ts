import { LastAdministrator } from '#persistence';

export type ProvisioningFailure =
  | 'user-exists'
  | 'user-unknown'
  | 'user-id-refused'
  | 'password-refused'
  | 'group-exists'
  | 'group-unknown'
  | 'group-id-refused'
  | 'group-protected'
  | 'display-name-refused'
  | 'email-refused'
  | 'quota-refused'
  | 'preference-unknown'
  | 'preference-refused'
  | 'account-end-refused'
  | 'not-subadmin'
  | 'self-refused'
  | 'managed-elsewhere'
  | 'last-administrator';

/** An expected refusal of user and group administration; `message` is meant for the administrator. */
export class ProvisioningFailed extends Error {
  constructor(
    readonly reason: ProvisioningFailure,
    message: string,
  ) {
    super(message);
  }
}

/** Does a change that an instance without another enabled administrator refuses. @throws ProvisioningFailed last-administrator */
export async function unlessLastAdministrator<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof LastAdministrator)) throw error;
    throw new ProvisioningFailed(
      'last-administrator',
      'This is the last enabled administrator: first make another one, a member of the group admin',
    );
  }
}
