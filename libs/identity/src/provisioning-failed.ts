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
  | 'managed-elsewhere';

/** An expected refusal of user and group administration; `message` is meant for the administrator. */
export class ProvisioningFailed extends Error {
  constructor(
    readonly reason: ProvisioningFailure,
    message: string,
  ) {
    super(message);
  }
}
