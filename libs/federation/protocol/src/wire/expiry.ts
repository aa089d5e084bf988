import { FederationRefused } from './federation-refusal';
import { LIMITS, type WireFields } from './wire-fields';

/** The member `expiration` in UNIX seconds; null for none, and for 0. @throws FederationRefused for one that is over or not understood */
export function readExpiry(fields: WireFields, now: Date): number | null {
  const text = fields.text('expiration', LIMITS.word) ?? '0';
  const seconds = fields.count('expiration');
  if (text === '0') return null;
  // A share whose end is not understood would never end.
  if (seconds === undefined || seconds * 1000 <= now.getTime())
    throw new FederationRefused('field-invalid', 'expiration');
  return seconds;
}
