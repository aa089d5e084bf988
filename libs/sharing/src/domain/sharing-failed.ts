/** Every reason for which a share call can be refused. The edge maps each to a code and a text. */
export type SharingFailure =
  | 'api-disabled'
  | 'path-missing'
  | 'path-wrong'
  | 'not-a-folder'
  | 'limit-invalid'
  | 'cursor-invalid'
  | 'share-unknown'
  | 'share-type-unknown'
  | 'attributes-invalid'
  | 'upload-flag-invalid'
  | 'only-for-links'
  | 'date-invalid'
  | 'expiry-past'
  | 'expiry-too-far'
  | 'expiry-enforced'
  | 'user-unknown'
  | 'group-unknown'
  | 'group-sharing-disabled'
  | 'group-sharing-off'
  | 'group-blacklisted'
  | 'links-disabled'
  | 'links-off'
  | 'link-creation-limited'
  | 'public-upload-disabled'
  | 'public-upload-on-file'
  | 'link-permissions'
  | 'link-upload-off'
  | 'link-password-enforced'
  | 'link-password-refused'
  | 'link-name-too-long'
  | 'note-too-long'
  | 'remote-disabled'
  | 'remote-recipient-invalid'
  | 'remote-not-invited'
  | 'remote-same-user'
  | 'remote-duplicate'
  | OfferFailure
  | 'sharer-excluded'
  | 'contains-received'
  | 'with-yourself'
  | 'root'
  | 'not-shareable'
  | 'second-factor-needed'
  | 'permissions-invalid'
  | 'permissions-none'
  | 'permissions-exceeded'
  | 'attributes-exceeded'
  | 'attributes-unknown'
  | 'attributes-not-carried'
  | 'demand-only-at-first'
  | 'only-group-members'
  | 'only-membership-groups'
  | 'already-shared-user'
  | 'already-shared-group'
  | 'with-owner'
  | 'update-not-allowed'
  | 'update-arguments'
  | 'delete-not-allowed'
  | 'only-recipient'
  | 'already-declined';

/** Reason why an offer to another server failed. */
export type OfferFailure =
  /** An administrator's rule forbids the partner. */
  | 'remote-not-allowed'
  /** Our own rules forbid connections to its address. */
  | 'remote-address-forbidden'
  | 'remote-host-unknown'
  /** The host answers, but no program listens at the port. */
  | 'remote-not-listening'
  /** There is no encrypted connection, or the certificate is not valid. */
  | 'remote-not-secure'
  /** The server does not support federated sharing. */
  | 'remote-not-sharing'
  /** The partner does not accept our signature. */
  | 'remote-signature-refused'
  /** The partner does not know the recipient. */
  | 'remote-user-unknown'
  /** The partner refused for any other reason. */
  | 'remote-refused'
  /** The cloud id is invalid, or delivery was given up for another reason. */
  | 'remote-unreachable';

/** An expected refusal of a share call; `details` fill the placeholders of its message. */
export class SharingFailed extends Error {
  constructor(
    readonly failure: SharingFailure,
    readonly details: Readonly<Record<string, string>> = {},
  ) {
    super(failure);
  }
}
