import { readJwks, type PartnerKey } from './partner-keys';

/** The keys of a partner as they are kept: where they stood, and when that was read; `''` and null for never. */
export interface KeptKeys {
  /** Of the discovery document, as `writeJwks` wrote them. */
  readonly documentKeys: string;
  readonly documentReadAt: Date | null;
  /** Of the partner's JWKS, the same. */
  readonly jwks: string;
  readonly jwksReadAt: Date | null;
}

const HOUR_MS = 3_600_000;
/** As long as a partner's profile; Nextcloud keeps such keys longer. */
const DOCUMENT_FRESH_MS = 24 * HOUR_MS;
/** As Nextcloud does. Source: federation-facts 10. */
const JWKS_FRESH_MS = HOUR_MS;

/**
 * Those of the kept keys that count without asking again.
 * @param now UNIX milliseconds
 */
export function freshKeys(kept: KeptKeys, now: number): PartnerKey[] {
  const isFresh = (readAt: Date | null, forMs: number): boolean =>
    readAt !== null && now - readAt.getTime() < forMs;
  const ofDocument = isFresh(kept.documentReadAt, DOCUMENT_FRESH_MS) ? kept.documentKeys : '';
  const ofJwks = isFresh(kept.jwksReadAt, JWKS_FRESH_MS) ? kept.jwks : '';
  return [ofDocument, ofJwks].flatMap((text) => readJwks(text));
}
