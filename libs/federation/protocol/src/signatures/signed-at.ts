import { SignatureRefused } from './signature-refused';

/**
 * How far the clock of a partner may be off, and how old a signature may be, in milliseconds.
 * Source: federation-facts 10 (Nextcloud checks the past only).
 */
export const SIGNATURE_WINDOW_MS = 5 * 60_000;

const HTTP_DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * The moment that a `Date` header names, in UNIX milliseconds.
 * @throws SignatureRefused for any but the preferred form of RFC 9110
 */
export function parseHttpDate(text: string): number {
  const at = HTTP_DATE.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(at)) throw new SignatureRefused('malformed', 'date');
  return at;
}

/** @throws SignatureRefused where the moment (UNIX milliseconds) is too far from `now` */
export function assertCurrent(at: number, now: number, detail: string): void {
  if (Math.abs(now - at) > SIGNATURE_WINDOW_MS) throw new SignatureRefused('out-of-date', detail);
}
