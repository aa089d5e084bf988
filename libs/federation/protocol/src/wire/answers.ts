import type { SecretText } from '../secret-text';
import type { FederationRefusal, FederationRefused } from './federation-refusal';
import type { LegacyAction } from '../messages/partner-events';

/** Answer to an OCM call: always a JSON body. */
export interface OcmAnswer {
  readonly status: number;
  readonly body: object;
}

/** Refusal of a legacy call; the OCS edge adds the envelope. */
export interface LegacyRefusal {
  readonly statuscode: number;
  readonly message: string | null;
}

interface Words {
  readonly ocm: number;
  readonly legacy: number;
  readonly message: (detail: string) => string;
  /** The text of the legacy dialect, if it differs. */
  readonly legacyMessage?: string;
}

const fixed = (text: string) => (): string => text;
const MISSING_PARAMETER = 'server can not add federated share, missing parameter';

/** The one table of refusals for partners. Source: recorded answers of ownCloud, federation-facts 5. */
const WORDS: Readonly<Record<FederationRefusal, Words>> = {
  'fields-missing': {
    ocm: 400,
    legacy: 400,
    message: (fields) => `Required parameters are missing: ${fields}`,
  },
  'protocol-missing': { ocm: 400, legacy: 400, message: fixed(MISSING_PARAMETER) },
  'notification-missing': { ocm: 400, legacy: 400, message: fixed(MISSING_PARAMETER) },
  'field-invalid': { ocm: 400, legacy: 400, message: (field) => `Invalid value of parameter: ${field}` },
  'name-invalid': {
    ocm: 400,
    legacy: 400,
    message: fixed('The mountpoint name contains invalid characters.'),
  },
  'share-type-unsupported': {
    ocm: 501,
    legacy: 501,
    message: (type) => `ShareType ${type} is not supported`,
  },
  'resource-type-unsupported': {
    ocm: 501,
    legacy: 501,
    message: (type) => `ResourceType ${type} is not supported`,
  },
  'protocol-unsupported': { ocm: 501, legacy: 501, message: (name) => `Protocol ${name} is not supported` },
  'notification-unsupported': {
    ocm: 501,
    legacy: 501,
    message: (type) => `Notification of type ${type} is not supported`,
  },
  'recipient-unknown': {
    ocm: 400,
    legacy: 400,
    message: (uid) => `User ${uid} does not exist`,
    legacyMessage: 'User does not exist',
  },
  'share-unknown': { ocm: 400, legacy: 400, message: (id) => `Share with id ${id} does not exist` },
  'secret-wrong': { ocm: 403, legacy: 403, message: fixed('') },
  'signature-wrong': { ocm: 401, legacy: 400, message: fixed('The signature was not accepted') },
  'signature-missing': {
    ocm: 401,
    legacy: 400,
    message: fixed('This server is supposed to sign its messages'),
  },
  'key-unavailable': { ocm: 503, legacy: 503, message: fixed('The key of the sender cannot be had now') },
  'permission-refused': { ocm: 403, legacy: 403, message: fixed('Permissions can only be lowered') },
  'reshare-refused': {
    ocm: 403,
    legacy: 403,
    message: (words) => words || 'It may not be shared on with this recipient',
  },
  'incoming-disabled': { ocm: 501, legacy: 501, message: fixed('') },
  'outgoing-disabled': {
    ocm: 501,
    legacy: 503,
    message: fixed(''),
    legacyMessage: 'Server does not support federated cloud sharing',
  },
  'partner-not-allowed': { ocm: 403, legacy: 403, message: fixed('Sharing with this server is not allowed') },
  'invitation-needed': { ocm: 403, legacy: 403, message: fixed('An invitation has to be accepted first') },
  'exchange-needed': { ocm: 403, legacy: 403, message: fixed('Its secret has to be exchanged for a token') },
  'requirement-unsupported': {
    ocm: 501,
    legacy: 501,
    message: (words) => `Requirement ${words} is not supported`,
  },
  'grant-unsupported': { ocm: 400, legacy: 400, message: (type) => `Grant ${type} is not supported` },
  'invitation-unknown': { ocm: 400, legacy: 400, message: fixed('There is no such invitation') },
  'invitation-used': { ocm: 409, legacy: 409, message: fixed('The invitation was accepted already') },
  'invitation-over': { ocm: 400, legacy: 400, message: fixed('The invitation has ended') },
  'temporarily-unavailable': { ocm: 503, legacy: 503, message: fixed('Try again later') },
};

/** ownCloud answers 410 to these actions, and a bare 400 to those below. */
const GONE_ACTIONS: readonly LegacyAction[] = ['accept', 'decline'];
const WORDLESS_ACTIONS: readonly LegacyAction[] = ['revoke', 'permissions'];

/** The answer to an accepted OCM offer or notice, also for a repetition. */
export const OCM_TAKEN: OcmAnswer = { status: 201, body: {} };

/** @param recipientDisplayName of the account that receives the share; required since OCM 1.3 */
export function ocmOfferTaken(recipientDisplayName: string): OcmAnswer {
  return { status: 201, body: { recipientDisplayName } };
}

export interface ReshareGrant {
  readonly sharedSecret: SecretText;
  /** Id of the new share at its owner's server. */
  readonly providerId: string;
}

/** The answer to REQUEST_RESHARE, with both names that requesters read. Source: federation-facts 6. */
export function ocmReshareGranted({ sharedSecret, providerId }: ReshareGrant): OcmAnswer {
  const secret = sharedSecret.reveal();
  return { status: 201, body: { sharedSecret: secret, token: secret, providerId, remoteId: providerId } };
}

/** `data` of the answer to a legacy `reshare`. */
export function legacyReshareGranted({ sharedSecret, providerId }: ReshareGrant): {
  token: string;
  remoteId: string;
} {
  return { token: sharedSecret.reveal(), remoteId: providerId };
}

export function ocmRefusal({ refusal, detail }: FederationRefused): OcmAnswer {
  const { ocm, message } = WORDS[refusal];
  return { status: ocm, body: { message: message(detail) } };
}

/** @param action undefined for the offer of a share */
export function legacyRefusal({ refusal, detail }: FederationRefused, action?: LegacyAction): LegacyRefusal {
  const { legacy, legacyMessage, message } = WORDS[refusal];
  const aboutShare = refusal === 'share-unknown' || refusal === 'secret-wrong';
  if (aboutShare && action && WORDLESS_ACTIONS.includes(action)) return { statuscode: 400, message: null };
  const gone = refusal === 'share-unknown' && action && GONE_ACTIONS.includes(action);
  return { statuscode: gone ? 410 : legacy, message: legacyMessage ?? message(detail) };
}

const OWNCLOUD_CRAWLER = 'ownCloud Server Crawler';

/**
 * Whether a refusal of a legacy call has to be plain JSON with the same HTTP status (never 2xx): ownCloud takes any
 * OCS envelope for success, and would keep a share that was refused.
 */
export function mistakesEnvelopeForSuccess(userAgent: string | undefined): boolean {
  return userAgent === OWNCLOUD_CRAWLER;
}
