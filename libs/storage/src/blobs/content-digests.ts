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
/** Bytes whose sums fit into 16 bits: 128 words, in each of which two pairs of bytes are added. */
const BLOCK = 512;
const WORD = 4;
const EVEN_BYTES = 0xff00ff;

/** Node.js has this checksum only inside of zlib, which does not expose it. */
class Adler32 {
  private low = 1;
  private high = 0;

  /**
   * Reads words of four bytes. A sum of 32 bits holds two sums of 16, for two bytes of each word, so that one addition serves both.
   * `high` is the sum of `low` after each byte: a byte counts once for itself, and once for each byte after it.
   */
  update(chunk: Buffer): void {
    const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.length);
    let { low, high } = this;
    let at = 0;
    while (at + WORD <= chunk.length) {
      const start = at;
      const end = Math.min(at + BLOCK, chunk.length - WORD + 1);
      let even = 0;
      let odd = 0;
      let before = 0;
      for (; at < end; at += WORD) {
        const word = view.getInt32(at, true);
        before += bothHalves(even + odd);
        even += word & EVEN_BYTES;
        odd += (word >>> 8) & EVEN_BYTES;
      }
      const [first, third] = [even & 0xffff, even >>> 16];
      const [second, fourth] = [odd & 0xffff, odd >>> 16];
      high += (at - start) * low + WORD * before + 4 * first + 3 * second + 2 * third + fourth;
      low = (low + first + second + third + fourth) % MODULUS;
      high %= MODULUS;
    }
    for (; at < chunk.length; at++) {
      low += chunk[at]!;
      high += low;
    }
    this.low = low % MODULUS;
    this.high = high % MODULUS;
  }

  digest(): string {
    return (((this.high << 16) | this.low) >>> 0).toString(16).padStart(8, '0');
  }
}

/** The two sums of 16 bits in a number, added. */
const bothHalves = (sums: number): number => (sums & 0xffff) + (sums >>> 16);
