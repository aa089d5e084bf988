/**
 * Every reason for refusing a partner's message. Codes and texts on the wire are in `answers.ts`.
 * The texts of this class never contain a secret: details are names of fields, and values that are not secret.
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

/** An expected refusal of a partner's message; `detail` fills the placeholder in its text. */
export class FederationRefused extends Error {
  constructor(
    readonly refusal: FederationRefusal,
    readonly detail = '',
  ) {
    super(refusal);
  }
}
