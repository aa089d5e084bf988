import { CloudIdInvalid, parseCloudId } from '../addresses/federated-cloud-id';
import { peerKeyOf } from '../addresses/host-and-path';
import { SecretText } from '../secret-text';
import { hostOfAddress } from '../addresses/host-identity';
import type { OcmAnswer } from '../wire/answers';
import { parseBoundedJson } from '../wire/bounded-json';
import { FederationRefused, type FederationRefusal } from '../wire/federation-refusal';
import { LIMITS, WireFields } from '../wire/wire-fields';

/** A request for an access token in exchange for a share's secret. */
export interface TokenRequest {
  /** Name of the caller, as in peer keys; with or without the path of an installation. */
  readonly client: string;
  readonly secret: SecretText;
}

/** reva uses the second name. Source: federation-facts 9. */
const GRANTS = ['authorization_code', 'ocm_share'];
const REQUIRED = ['grant_type', 'client_id', 'code'];
/** In characters. The longest fields together have 1,000. */
const MAX_REQUEST = 8192;

/**
 * Reads a request to `tokenEndPoint`: a form, as in OAuth, or the same members in JSON.
 * @throws FederationRefused fields-missing, field-invalid, grant-unsupported
 */
export function parseTokenRequest(body: string): TokenRequest {
  const fields = new WireFields(membersOf(body));
  fields.require(REQUIRED);
  const grant = fields.text('grant_type', LIMITS.word)!;
  if (!GRANTS.includes(grant)) throw new FederationRefused('grant-unsupported', grant);
  return { client: clientOf(fields.text('client_id', LIMITS.address)!), secret: fields.secret('code')! };
}

function membersOf(body: string): unknown {
  if (body.length > MAX_REQUEST) return undefined;
  if (body.trimStart().startsWith('{')) return parseBoundedJson(body, MAX_REQUEST);
  const entries = [...new URLSearchParams(body)];
  const members = Object.fromEntries(entries);
  // RFC 6749, 3.2: no member may be sent twice.
  const isTwice = Object.keys(members).length < entries.length;
  return isTwice ? undefined : members;
}

function clientOf(text: string): string {
  try {
    return peerKeyOf(parseCloudId(`anybody@${text}`));
  } catch (error) {
    if (!(error instanceof CloudIdInvalid)) throw error;
    throw new FederationRefused('field-invalid', 'client_id');
  }
}

/** Whether a client is the partner. Most clients name only their host, even if they are installed in a folder there. */
export function isClientOf(client: string, peerKey: string): boolean {
  return client === peerKey || client === hostOfAddress(peerKey);
}

/** @param expiresInSeconds counted from now */
export function tokenGranted(token: SecretText, expiresInSeconds: number): OcmAnswer {
  const body = { access_token: token.reveal(), token_type: 'Bearer', expires_in: expiresInSeconds };
  return { status: 200, body };
}

/** Names of RFC 6749, 5.2. An unknown secret and the secret of another partner get the same answer. */
const ERRORS: Partial<Readonly<Record<FederationRefusal, string>>> = {
  'fields-missing': 'invalid_request',
  'field-invalid': 'invalid_request',
  'grant-unsupported': 'unsupported_grant_type',
  'secret-wrong': 'invalid_grant',
  'signature-wrong': 'invalid_client',
  'signature-missing': 'invalid_client',
};

/** @returns undefined for refusals that are not specific to this request, such as a temporary failure */
export function tokenRefused({ refusal }: FederationRefused): OcmAnswer | undefined {
  const error = ERRORS[refusal];
  return error === undefined ? undefined : { status: 400, body: { error } };
}
