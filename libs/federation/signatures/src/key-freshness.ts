import { readJwks, type PartnerKey } from './partner-keys';

/** The stored keys of a partner, by the place where they were found, and the time of reading; `''` and null for never. */
export interface KeptKeys {
  /** Keys of the discovery document, in the form of `writeJwks`. */
  readonly documentKeys: string;
  readonly documentReadAt: Date | null;
  /** Keys of the partner's JWKS, in the same form. */
  readonly jwks: string;
  readonly jwksReadAt: Date | null;
}

const HOUR_MS = 3_600_000;
/** The same as for a partner's profile; Nextcloud keeps these keys longer. */
const DOCUMENT_FRESH_MS = 24 * HOUR_MS;
/** The same as in Nextcloud. Source: federation-facts 10. */
const JWKS_FRESH_MS = HOUR_MS;

/**
 * The stored keys that can be used without asking again.
 * @param now in UNIX milliseconds
 */
export function freshKeys(kept: KeptKeys, now: number): PartnerKey[] {
  const isFresh = (readAt: Date | null, forMs: number): boolean =>
    readAt !== null && now - readAt.getTime() < forMs;
  const ofDocument = isFresh(kept.documentReadAt, DOCUMENT_FRESH_MS) ? kept.documentKeys : '';
  const ofJwks = isFresh(kept.jwksReadAt, JWKS_FRESH_MS) ? kept.jwks : '';
  return [ofDocument, ofJwks].flatMap((text) => readJwks(text));
}
