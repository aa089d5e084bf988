import { CloudIdInvalid, parseCloudId } from '../addresses/federated-cloud-id';
import { peerKeyOf } from '../addresses/host-and-path';
import { SecretText } from '../secret-text';
import { parseBoundedJson } from '../wire/bounded-json';
import { FederationRefused } from '../wire/federation-refusal';
import { LIMITS, WireFields } from '../wire/wire-fields';

/** Paths of ownCloud's and Nextcloud's trusted servers, below a server's address. */
export const TRUST_PATHS = {
  request: '/ocs/v2.php/apps/federation/api/v1/request-shared-secret',
  secret: '/ocs/v2.php/apps/federation/api/v1/shared-secret',
} as const;

/** Lengths that both products use, in characters. */
export const HANDSHAKE_TOKEN_LENGTH = 16;
export const COMMON_SECRET_LENGTH = 32;

/** Fields of both calls of the handshake: the caller and a token. */
export interface HandshakeCall {
  /** Canonical host, with port and path if they are not the usual ones. */
  readonly hostKey: string;
  readonly token: SecretText;
}

/** @returns undefined for an invalid call @param fields as received */
export function readHandshakeCall(fields: unknown): HandshakeCall | undefined {
  try {
    const read = new WireFields(fields);
    const token = read.secret('token');
    const url = read.text('url', LIMITS.uri);
    if (!token || url === undefined) return undefined;
    return { token, hostKey: peerKeyOf(parseCloudId(`anybody@${url}`)) };
  } catch (error) {
    if (error instanceof CloudIdInvalid || error instanceof FederationRefused) return undefined;
    throw error;
  }
}

/** Answer of a partner that was asked to fetch a secret. */
export type AskAnswer = 'will-fetch' | 'will-ask' | 'later';

/** A partner that does not trust us also answers 403, and then never asks. */
export function readAskAnswer(status: number): AskAnswer {
  if (status === 200) return 'will-fetch';
  return status === 403 ? 'will-ask' : 'later';
}

/** Answer of a partner to a request for its secret. */
export type SecretAnswer =
  | { readonly kind: 'secret'; readonly secret: SecretText }
  | { readonly kind: 'refused' }
  | { readonly kind: 'later' };

export function readSecretAnswer(status: number, text: string): SecretAnswer {
  if (status === 403 || status === 401) return { kind: 'refused' };
  if (status !== 200) return { kind: 'later' };
  try {
    const data = new WireFields(parseBoundedJson(text)).object('ocs').object('data');
    const secret = data.secret('sharedSecret');
    return secret ? { kind: 'secret', secret } : { kind: 'later' };
  } catch (error) {
    if (error instanceof FederationRefused) return { kind: 'later' };
    throw error;
  }
}
