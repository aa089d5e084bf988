/**
 * Everything that a message of a partner can be refused for. Codes and words on the wire are in `answers.ts`.
 * Messages of this class never hold a secret: details are names of fields, and values that are no secrets.
 */
export type FederationRefusal =
  | 'fields-missing'
  | 'protocol-missing'
  | 'notification-missing'
  | 'field-invalid'
  | 'name-invalid'
  | 'share-type-unsupported'
  | 'resource-type-unsupported'
  | 'protocol-unsupported'
  | 'notification-unsupported'
  | 'recipient-unknown'
  | 'share-unknown'
  | 'secret-wrong'
  | 'signature-wrong'
  | 'signature-missing'
  | 'key-unavailable'
  | 'permission-refused'
  | 'reshare-refused'
  | 'incoming-disabled'
  | 'outgoing-disabled'
  | 'partner-not-allowed'
  | 'invitation-needed'
  | 'exchange-needed'
  | 'requirement-unsupported'
  | 'grant-unsupported'
  | 'invitation-unknown'
  | 'invitation-used'
  | 'invitation-over'
  | 'temporarily-unavailable';

/** An expected refusal of a partner's message; `detail` fills the place of its words. */
export class FederationRefused extends Error {
  constructor(
    readonly refusal: FederationRefusal,
    readonly detail = '',
  ) {
    super(refusal);
  }
}
