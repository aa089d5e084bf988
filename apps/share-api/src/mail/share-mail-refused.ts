/** Reason why no mail about a share is sent. */
export type ShareMailFailure =
  | 'share-mail-off'
  | 'link-mail-off'
  | 'link-invalid'
  | 'recipients-missing'
  | 'recipients-too-many'
  | 'note-too-long'
  | 'undeliverable';

/** `recipients` names people whom the mail cannot reach. */
export class ShareMailRefused extends Error {
  constructor(
    readonly failure: ShareMailFailure,
    readonly recipients: readonly string[] = [],
  ) {
    super(failure);
  }
}
