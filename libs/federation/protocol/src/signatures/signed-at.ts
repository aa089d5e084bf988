import { SignatureRefused } from './signature-refused';

/**
 * Allowed difference of a partner's clock, and maximum age of a signature, in milliseconds.
 * Source: federation-facts 10 (Nextcloud checks the past only).
 */
export const SIGNATURE_WINDOW_MS = 5 * 60_000;

const HTTP_DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * The time in a `Date` header, in UNIX milliseconds.
 * @throws SignatureRefused for any form but the preferred one of RFC 9110
 */
export function parseHttpDate(text: string): number {
  const at = HTTP_DATE.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(at)) throw new SignatureRefused('malformed', 'date');
  return at;
}

/** @throws SignatureRefused if the time (UNIX milliseconds) is too far from `now` */
export function assertCurrent(at: number, now: number, detail: string): void {
  if (Math.abs(now - at) > SIGNATURE_WINDOW_MS) throw new SignatureRefused('out-of-date', detail);
}
