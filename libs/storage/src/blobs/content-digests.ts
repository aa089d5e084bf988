import { createHash } from 'node:crypto';

/** Checksums that `OC-Checksum` may name, in lower case as in TUS. */
export const CHECKSUM_ALGORITHMS = ['sha1', 'md5', 'adler32'] as const;
export type ChecksumAlgorithm = (typeof CHECKSUM_ALGORITHMS)[number];

/** Lower-case hexadecimal digests of one content. */
export type Digests = Readonly<Record<ChecksumAlgorithm, string>>;

/** Computes all checksums by which clients compare files, while the bytes pass. */
export class ContentDigests {
  private readonly sha1 = createHash('sha1');
  private readonly md5 = createHash('md5');
  private readonly adler32 = new Adler32();

  update(chunk: Buffer): void {
    this.sha1.update(chunk);
    this.md5.update(chunk);
    this.adler32.update(chunk);
  }

  /** Call it once, after the last byte. */
  digests(): Digests {
    return { sha1: this.sha1.digest('hex'), md5: this.md5.digest('hex'), adler32: this.adler32.digest() };
  }
}

/** A text such as `SHA1:... MD5:... ADLER32:...`, as it is stored with files and shown in `oc:checksums`. */
export function checksumsOf(digests: Digests): string {
  return CHECKSUM_ALGORITHMS.map((algorithm) => `${algorithm.toUpperCase()}:${digests[algorithm]}`).join(' ');
}

/** The largest prime below 65536: RFC 1950, section 8.2. */
const MODULUS = 65521;
/** Number of bytes after which the second sum may exceed the 32 bits in which sums are fast. */
const BYTES_PER_REMAINDER = 3800;

/** Node.js has this checksum only inside of zlib, which does not expose it. */
class Adler32 {
  private low = 1;
  private high = 0;

  update(chunk: Buffer): void {
    let { low, high } = this;
    for (let at = 0; at < chunk.length;) {
      const end = Math.min(at + BYTES_PER_REMAINDER, chunk.length);
      // Adds eight bytes per step, because each sum depends on the one before.
      for (; at + 8 <= end; at += 8) {
        const [a, b, c, d] = [chunk[at]!, chunk[at + 1]!, chunk[at + 2]!, chunk[at + 3]!];
        const [e, f, g, h] = [chunk[at + 4]!, chunk[at + 5]!, chunk[at + 6]!, chunk[at + 7]!];
        high += 8 * low + 8 * a + 7 * b + 6 * c + 5 * d + 4 * e + 3 * f + 2 * g + h;
        low += a + b + c + d + e + f + g + h;
      }
      for (; at < end; at++) {
        low += chunk[at]!;
        high += low;
      }
      low %= MODULUS;
      high %= MODULUS;
    }
    this.low = low;
    this.high = high;
  }

  digest(): string {
    return (((this.high << 16) | this.low) >>> 0).toString(16).padStart(8, '0');
  }
}
