/** Why nobody is notified of a share by mail. */
export type ShareMailFailure =
  | 'share-mail-off'
  | 'link-mail-off'
  | 'link-invalid'
  | 'recipients-missing'
  | 'recipients-too-many'
  | 'note-too-long'
  | 'undeliverable';

/** `recipients` names whom the mail cannot reach. */
export class ShareMailRefused extends Error {
  constructor(
    readonly failure: ShareMailFailure,
    readonly recipients: readonly string[] = [],
  ) {
    super(failure);
  }
}
