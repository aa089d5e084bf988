import { redact } from '../messages/redact';
import { SecretText } from '../secret-text';
import { parseBoundedJson } from '../wire/bounded-json';
import { FederationRefused } from '../wire/federation-refusal';
import { LIMITS, WireFields } from '../wire/wire-fields';

/** Path of the call that asks the server of a link to offer the link's node to an account elsewhere. */
export const LINK_CALL = '/index.php/apps/federatedfilesharing/createFederatedShare';

/** Keys of a link. */
export interface LinkKeys {
  readonly token: SecretText;
  /** Empty for none. */
  readonly password: SecretText;
}

/** Keys of a link, and the name that a user gave it; empty for none. */
export interface NamedLinkKeys extends LinkKeys {
  readonly name: string;
}

/** Meaning of an answer to the call. */
export type LinkAnswer =
  /** The share is offered, or will be. `providerId` is its id, if the server names it. */
  | { readonly kind: 'offered'; readonly providerId: string | null }
  /** `words` are the server's text. */
  | { readonly kind: 'refused'; readonly words: string }
  | { readonly kind: 'later' }
  /** The server has no such call. */
  | { readonly kind: 'unsupported' };

const MAX_WORDS = 200;
/** Statuses of servers without the call: no page, another method, a sign-in, a missing form token. */
const WITHOUT_CALL: readonly number[] = [401, 403, 404, 405, 412, 501];

/** The form of the call. @param shareWith the cloud id of the account that saves the link */
export function linkForm({ token, password }: LinkKeys, shareWith: string): SecretText {
  const fields = { token: token.reveal(), password: password.reveal(), shareWith };
  return new SecretText(new URLSearchParams(fields).toString());
}

/** @param text empty if the answer was incomplete */
export function readLinkAnswer(status: number, text: string, keys: LinkKeys): LinkAnswer {
  if (status === 429 || (status >= 500 && status !== 501)) return { kind: 'later' };
  if (WITHOUT_CALL.includes(status) || (status >= 300 && status < 400)) return { kind: 'unsupported' };
  const fields = new WireFields(parseBoundedJson(text));
  if (status !== 200) {
    const words = fields.shown('message', MAX_WORDS);
    return { kind: 'refused', words: redact(words, [keys.token, keys.password], MAX_WORDS) };
  }
  // Some servers have a page for every path.
  return fields.has('remoteUrl') ? { kind: 'offered', providerId: idIn(fields) } : { kind: 'unsupported' };
}

/** Nextcloud's text for an unknown token. Its addresses of links give the same answer for a wrong password. */
export const namesNoSuchLink = (words: string): boolean => /requested share does not exist/i.test(words);

function idIn(fields: WireFields): string | null {
  try {
    return fields.text('providerId', LIMITS.id) ?? null;
  } catch (error) {
    if (error instanceof FederationRefused) return null;
    throw error;
  }
}

/** @returns undefined for a text that this product did not write */
export function readLinkKeys(stored: string): NamedLinkKeys | undefined {
  const fields = new WireFields(parseBoundedJson(stored));
  const token = fields.secret('token');
  const password = new SecretText(fields.shown('password', LIMITS.text));
  return token && { token, password, name: fields.shown('name', LIMITS.name) };
}

/** Text of the keys, ready to be sealed. */
export function linkKeysText({ token, password, name }: NamedLinkKeys): string {
  return JSON.stringify({ token: token.reveal(), password: password.reveal(), name });
}
