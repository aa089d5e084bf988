import { CloudIdInvalid, parseCloudId, type FederatedCloudId } from '../addresses/federated-cloud-id';
import { SecretText } from '../secret-text';
import type { OcmAnswer } from '../wire/answers';
import { parseBoundedJson } from '../wire/bounded-json';
import { FederationRefused } from '../wire/federation-refusal';
import { LIMITS, WireFields } from '../wire/wire-fields';

/** One of two people who become contacts by an invitation, as servers present them. */
export interface PresentedPerson {
  readonly userId: string;
  readonly email: string;
  readonly name: string;
}

/** `POST {endPoint}/invite-accepted`: a person at another server accepts an invitation of one of our users. */
export interface AcceptedInvitation {
  readonly token: SecretText;
  readonly person: FederatedCloudId;
  readonly email: string;
  readonly name: string;
}

/** @throws FederationRefused fields-missing, field-invalid */
export function parseAcceptedInvitation(body: unknown): AcceptedInvitation {
  const fields = new WireFields(body);
  fields.require(['recipientProvider', 'token', 'userID']);
  const provider = fields.text('recipientProvider', LIMITS.address)!;
  const userId = fields.text('userID', LIMITS.id)!;
  const person = personAt(userId, provider);
  if (!person) throw new FederationRefused('field-invalid', 'recipientProvider');
  return {
    token: fields.secret('token')!,
    person,
    email: fields.shown('email', LIMITS.displayName),
    name: fields.displayName('name'),
  };
}

/** oCIS and OpenCloud write `id@host` as the user's id. The host is removed if it is the server's own. */
function personAt(userId: string, provider: string): FederatedCloudId | undefined {
  try {
    return parseCloudId(`${userId}@${provider}`);
  } catch (error) {
    if (error instanceof CloudIdInvalid) return undefined;
    throw error;
  }
}

/** The answer to an acceptance: the inviting account. */
export function invitationTaken({ userId, email, name }: PresentedPerson): OcmAnswer {
  return { status: 200, body: { userID: userId, email, name } };
}

/** The body of the call that tells a partner about an acceptance. @param provider our own host */
export function acceptanceBody(token: SecretText, provider: string, person: PresentedPerson): SecretText {
  const { userId, email, name } = person;
  return new SecretText(
    JSON.stringify({ recipientProvider: provider, token: token.reveal(), userID: userId, email, name }),
  );
}

/** Reason why a partner refuses an acceptance. */
export type AcceptanceRefusal = 'unknown' | 'used' | 'not-trusted' | 'unreachable' | 'not-understood';

export type AcceptanceAnswer =
  | {
      readonly kind: 'accepted';
      readonly inviter: FederatedCloudId;
      readonly email: string;
      readonly name: string;
    }
  | { readonly kind: 'refused'; readonly reason: AcceptanceRefusal };

const REFUSALS: Readonly<Record<number, AcceptanceRefusal>> = {
  400: 'unknown',
  401: 'not-trusted',
  403: 'not-trusted',
  404: 'unknown',
  409: 'used',
};

/**
 * Reads a partner's answer to an acceptance: 200 in the specification; 201 is accepted, too. OpenCloud sends no media
 * type, so it is not checked.
 */
export function readAcceptanceAnswer(status: number, text: string, hostKey: string): AcceptanceAnswer {
  if (status !== 200 && status !== 201) {
    const reason = REFUSALS[status] ?? (status >= 500 || status === 429 ? 'unreachable' : 'not-understood');
    return { kind: 'refused', reason };
  }
  try {
    const fields = new WireFields(parseBoundedJson(text));
    const userId = fields.text('userID', LIMITS.id);
    const inviter = userId === undefined ? undefined : personAt(userId, hostKey);
    if (!inviter) return { kind: 'refused', reason: 'not-understood' };
    const email = fields.shown('email', LIMITS.displayName);
    return { kind: 'accepted', inviter, email, name: fields.shown('name', LIMITS.displayName) };
  } catch (error) {
    if (error instanceof FederationRefused) return { kind: 'refused', reason: 'not-understood' };
    throw error;
  }
}
