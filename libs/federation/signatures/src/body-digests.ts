import { hash, timingSafeEqual } from 'node:crypto';
import type { BodyDigest } from '#federation/protocol';

const HASHES = { 'sha-256': 'sha256', 'sha-512': 'sha512' } as const;

/** The digest of a body, in Base64. */
export function digestOf(body: Buffer, algorithm: BodyDigest['algorithm']): string {
  return hash(HASHES[algorithm], body, 'base64');
}

/** Whether a body matches every digest. */
export function isBodyOf(digests: readonly BodyDigest[], body: Buffer): boolean {
  return digests.every(({ algorithm, value }) => {
    const [stated, actual] = [Buffer.from(value), Buffer.from(digestOf(body, algorithm))];
    return stated.length === actual.length && timingSafeEqual(stated, actual);
  });
}
