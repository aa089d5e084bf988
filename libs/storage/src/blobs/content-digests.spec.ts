import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { ContentDigests, type Digests } from './content-digests';

/** Bytes that look random and are the same in each run. */
const mixed = (length: number): Buffer =>
  Buffer.from(Array.from({ length }, (_, at) => (at * at * 31 + at * 7 + (at >> 5)) & 255));

/** Computed by other programs: zlib ends its output with the Adler-32 of its input. */
const expected = (content: Buffer): Digests => ({
  sha1: createHash('sha1').update(content).digest('hex'),
  md5: createHash('md5').update(content).digest('hex'),
  adler32: deflateSync(content).subarray(-4).toString('hex'),
});

function digestsOf(...chunks: readonly Buffer[]): Digests {
  const digests = new ContentDigests();
  for (const chunk of chunks) digests.update(chunk);
  return digests.digests();
}

describe('digests of a content', () => {
  it.each([0, 1, 2, 3, 4, 5, 7, 8, 511, 512, 513, 516, 1023, 1024, 5551, 65_521, 65_536, 300_001])(
    'are those of %d bytes',
    (length) => {
      for (const content of [mixed(length), Buffer.alloc(length, 255), Buffer.alloc(length)])
        expect(digestsOf(content)).toEqual(expected(content));
    },
  );

  it('do not depend on how the bytes arrive', () => {
    const content = mixed(20_000);
    for (const first of [1, 2, 3, 5, 510, 512, 4097])
      expect(digestsOf(content.subarray(0, first), Buffer.alloc(0), content.subarray(first))).toEqual(
        expected(content),
      );
  });

  it('stay exact for contents of many megabytes', () => {
    const chunk = Buffer.alloc(1_000_003, 255);
    expect(digestsOf(...Array<Buffer>(40).fill(chunk))).toEqual(
      expected(Buffer.concat(Array<Buffer>(40).fill(chunk))),
    );
  });
});
