import { SecretText } from '../secret-text';
import { parseBoundedJson } from '../wire/bounded-json';

/** Outcome of exchanging a secret for an access token. */
export type ExchangeOutcome =
  | { readonly kind: 'granted'; readonly token: SecretText; readonly validMs: number }
  /** The secret is not valid. */
  | { readonly kind: 'denied' }
  /** A later attempt may work. */
  | { readonly kind: 'trouble' }
  | { readonly kind: 'not-understood' };

const MAX_ANSWER = 64 * 1024;
const MAX_TOKEN = 8192;
/** In seconds. Nextcloud gives 300 to 86,400. */
const DEFAULT_LIFETIME = 300;
const MAX_LIFETIME = 86_400;
/**
 * A server that does not recognise us, for example because it lacks our key at the moment, says nothing about the
 * secret.
 */
const ERRORS = new Map<unknown, ExchangeOutcome>([
  ['invalid_grant', { kind: 'denied' }],
  ['invalid_client', { kind: 'trouble' }],
  ['unauthorized_client', { kind: 'trouble' }],
]);

/** The form that exchanges a secret. Source: federation-facts 9. @param clientId our own host */
export function exchangeForm(clientId: string, secret: SecretText): SecretText {
  const form = { grant_type: 'authorization_code', client_id: clientId, code: secret.reveal() };
  return new SecretText(new URLSearchParams(form).toString());
}

/** Reads the answer to the exchange. */
export function readExchange(status: number, body: string): ExchangeOutcome {
  if (status === 401 || status === 403) return { kind: 'denied' };
  if (status === 429 || status >= 500) return { kind: 'trouble' };
  const answer = parseBoundedJson(body, MAX_ANSWER);
  if (typeof answer !== 'object' || answer === null) return { kind: 'not-understood' };
  const {
    access_token: token,
    token_type: type,
    expires_in: lifetime,
    error,
  } = answer as Record<string, unknown>;
  if (status === 400) return ERRORS.get(error) ?? { kind: 'not-understood' };
  const isToken = typeof token === 'string' && token.length <= MAX_TOKEN && /^[\x21-\x7e]+$/.test(token);
  const isBearer = type === undefined || (typeof type === 'string' && type.toLowerCase() === 'bearer');
  if (status >= 300 || !isToken || !isBearer) return { kind: 'not-understood' };
  const seconds = typeof lifetime === 'number' && lifetime >= 1 ? Math.floor(lifetime) : DEFAULT_LIFETIME;
  return { kind: 'granted', token: new SecretText(token), validMs: Math.min(seconds, MAX_LIFETIME) * 1000 };
}
