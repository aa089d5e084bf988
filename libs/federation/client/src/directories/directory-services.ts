import type { KeyObject } from 'node:crypto';
import {
  compactVerify,
  errors,
  flattenedVerify,
  generalVerify,
  type FlattenedJWS,
  type GeneralJWS,
} from 'jose';
import {
  MAX_LISTING_LENGTH,
  parseBoundedJson,
  readListing,
  type DirectoryListing,
} from '#federation/protocol';
import { readDirectoryKey } from '#federation/signatures';
import { EgressFailed } from '../egress/egress-failed';
import type { GuardedClient } from '../egress/guarded-client';

/** The listing of a directory service, or the reason why there is none. The reason contains nothing of the answer. */
export type AskedDirectory =
  | { readonly kind: 'listing'; readonly listing: DirectoryListing }
  | { readonly kind: 'failed'; readonly reason: string };

const failed = (reason: string): AskedDirectory => ({ kind: 'failed', reason });

/** Asks directory services for the servers of their federations. Source: OCM 1.4, appendix C. */
export class DirectoryServices {
  constructor(private readonly client: Pick<GuardedClient, 'exchange'>) {}

  /** Never throws for errors of a service. @param publicKey in PEM, from the service's operator */
  async ask(url: string, publicKey: string): Promise<AskedDirectory> {
    const headers = { accept: 'application/jose+json, application/jose, application/json' };
    try {
      const { status, text, incomplete } = await this.client.exchange({ method: 'GET', url, headers });
      if (status !== 200) return failed(`it answered ${status}`);
      if (incomplete || text.length > MAX_LISTING_LENGTH)
        return failed('its answer is too long, or broke off');
      return await readSigned(text.trim(), publicKey);
    } catch (error) {
      if (error instanceof EgressFailed) return failed(`it could not be asked: ${error.failure}`);
      throw error;
    }
  }
}

/** Reads a listing in any form of JWS: compact, or JSON with one or several signatures. */
async function readSigned(text: string, publicKey: string): Promise<AskedDirectory> {
  const trusted = readDirectoryKey(publicKey);
  if (!trusted) return failed('its key is of no kind that is known');
  const options = { algorithms: [trusted.algorithm] };
  try {
    const { payload } = await verified(text, trusted.key, options);
    const listing = readListing(parseBoundedJson(new TextDecoder().decode(payload)));
    return listing ? { kind: 'listing', listing } : failed('what it signed is no list of servers');
  } catch (error) {
    if (error instanceof errors.JOSEError) return failed('its signature is not that of the key');
    if (error instanceof SyntaxError || error instanceof TypeError) return failed('its answer is not signed');
    throw error;
  }
}

function verified(
  text: string,
  key: KeyObject,
  options: { algorithms: string[] },
): Promise<{ payload: Uint8Array }> {
  if (!text.startsWith('{')) return compactVerify(text, key, options);
  const message = parseBoundedJson(text) as Partial<GeneralJWS & FlattenedJWS>;
  return message.signatures === undefined
    ? flattenedVerify(message as FlattenedJWS, key, options)
    : generalVerify(message as GeneralJWS, key, options);
}
