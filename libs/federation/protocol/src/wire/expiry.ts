import { FederationRefused } from './federation-refusal';
import { LIMITS, type WireFields } from './wire-fields';

/** The member `expiration` in UNIX seconds; null for none, and for 0. @throws FederationRefused if it is past or invalid */
export function readExpiry(fields: WireFields, now: Date): number | null {
  const text = fields.text('expiration', LIMITS.word) ?? '0';
  const seconds = fields.count('expiration');
  if (text === '0') return null;
  // A share with an expiry that we cannot read would never end.
  if (seconds === undefined || seconds * 1000 <= now.getTime())
    throw new FederationRefused('field-invalid', 'expiration');
  return seconds;
}
