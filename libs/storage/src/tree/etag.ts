import { randomBytes } from 'node:crypto';

/** A state that no node was ever in: opaque, 32 hexadecimal digits. */
export function newEtag(): string {
  return randomBytes(16).toString('hex');
}
