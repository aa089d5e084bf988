/** Everything that a share call can be refused for. Codes and words are the edge's. */
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
  | 'remote-disabled'
  | 'remote-recipient-invalid'
  | 'remote-not-allowed'
  | 'remote-not-invited'
  | 'remote-same-user'
  | 'remote-duplicate'
  | 'remote-unreachable'
  | 'remote-refused'
  | 'sharer-excluded'
  | 'contains-received'
  | 'with-yourself'
  | 'root'
  | 'not-shareable'
  | 'permissions-invalid'
  | 'permissions-none'
  | 'permissions-exceeded'
  | 'attributes-exceeded'
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

/** An expected refusal of a share call; `details` fill the places of its message. */
export class SharingFailed extends Error {
  constructor(
    readonly failure: SharingFailure,
    readonly details: Readonly<Record<string, string>> = {},
  ) {
    super(failure);
  }
}
