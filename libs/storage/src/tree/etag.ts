import { randomBytes } from 'node:crypto';

/** A new, unique etag: opaque, 32 hexadecimal digits. */
export function newEtag(): string {
  return randomBytes(16).toString('hex');
}
