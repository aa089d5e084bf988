import { OcsFailure } from '#ocs/http';
import { InvitationRefused, type InvitationRefusal } from './invitation-refused';

const ANSWERS: Readonly<Record<InvitationRefusal, readonly [code: number, message: string]>> = {
  off: [403, 'Sharing with other servers is switched off'],
  barred: [403, 'Sharing with this server is not allowed by the administrator'],
  own: [400, 'The invitation is from this server'],
  invalid: [400, 'This is no invitation'],
  'description-too-long': [400, 'The description is too long'],
  'too-many': [403, 'There are too many invitations that nobody accepted'],
  'mail-off': [403, 'Mail is not sent from here'],
  'address-invalid': [400, 'The mail address is not valid'],
  'nothing-there': [404, 'There is no such entry'],
  unknown: [404, 'The invitation is not known at its server, or has ended'],
  used: [409, 'The invitation was accepted already'],
  'not-trusted': [403, 'The server of the invitation does not deal with this one'],
  unreachable: [503, 'The server of the invitation cannot be reached'],
  'not-understood': [400, 'The server of the invitation takes none'],
};

/** Converts refusals of calls about invitations into OCS failures. */
export function invitationFailure(error: unknown): OcsFailure | undefined {
  return error instanceof InvitationRefused ? new OcsFailure(...ANSWERS[error.refusal]) : undefined;
}
