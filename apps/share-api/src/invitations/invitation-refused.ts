import type { AcceptanceRefusal } from '#federation/protocol';

/** Refusals of calls about invitations. */
export type InvitationRefusal =
  | AcceptanceRefusal
  | 'off'
  | 'barred'
  | 'own'
  | 'invalid'
  | 'description-too-long'
  | 'too-many'
  | 'mail-off'
  | 'address-invalid'
  | 'nothing-there';

/** An expected refusal of a call about invitations or contacts. */
export class InvitationRefused extends Error {
  constructor(readonly refusal: InvitationRefusal) {
    super(refusal);
  }
}
