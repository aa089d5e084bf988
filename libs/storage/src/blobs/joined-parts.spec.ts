import { partsOf, type JoinedPart } from './joined-parts';

const LIMITS = { least: 5, most: 20 };

/** Text such as `a0-4` for a copied part, `(a0-2 b0-1)` for a written one. */
const shown = (parts: readonly JoinedPart[]): string =>
  parts
    .map((part) => {
      const spans = part.kind === 'copied' ? [part.span] : part.spans;
      const text = spans.map(({ blobKey, start, end }) => `${blobKey}${start}-${end}`).join(' ');
      return part.kind === 'copied' ? text : `(${text})`;
    })
    .join(' ');
const plan = (...sizes: number[]): JoinedPart[] =>
  partsOf(
    sizes.map((size, index) => ({ blobKey: 'abcdefghij'[index]!, size })),
    LIMITS,
  );

describe('the parts of an object that is made of pieces', () => {
  it.each([
    ['nothing of no pieces', [], ''],
    ['large pieces as they are', [10, 12, 7], 'a0-9 b0-11 c0-6'],
    ['a small last piece as it is', [10, 2], 'a0-9 b0-1'],
    ['a piece that is too large in several', [45], 'a0-19 a20-39 a40-44'],
    ['small pieces together', [2, 2, 2, 2], '(a0-1 b0-1 c0-1) d0-1'],
    ['a small piece with the start of the next', [2, 20, 10], '(a0-1 b0-2) b3-19 c0-9'],
    ['a small piece with all of the next where the rest would be too small', [2, 6, 10], '(a0-1 b0-5) c0-9'],
    ['the small rest of a large piece with the next', [23, 10], 'a0-19 (a20-22 b0-1) b2-9'],
    ['a small piece with the start of the last', [2, 4], '(a0-1 b0-2) b3-3'],
    ['no part of an empty piece', [10, 0, 7], 'a0-9 c0-6'],
  ])('are %s', (_name, sizes, expected) => {
    expect(shown(plan(...sizes))).toBe(expected);
  });

  it('have all bytes in their order, and the sizes that the service requires', () => {
    for (let run = 0; run < 500; run++) {
      const sizes = Array.from({ length: 1 + (run % 10) }, (_, index) => (run * 7 + index * index * 13) % 50);
      const parts = plan(...sizes);
      const spans = parts.flatMap((part) => (part.kind === 'copied' ? [part.span] : part.spans));
      const bytes = spans.flatMap(({ blobKey, start, end }) =>
        Array.from({ length: end - start + 1 }, (_, index) => `${blobKey}${start + index}`),
      );
      const wanted = sizes.flatMap((size, index) =>
        Array.from({ length: size }, (_, at) => `${'abcdefghij'[index]}${at}`),
      );
      expect(bytes).toEqual(wanted);
      const length = (part: JoinedPart): number =>
        (part.kind === 'copied' ? [part.span] : part.spans).reduce(
          (sum, { start, end }) => sum + end - start + 1,
          0,
        );
      for (const part of parts.slice(0, -1)) expect(length(part)).toBeGreaterThanOrEqual(LIMITS.least);
      for (const part of parts) expect(length(part)).toBeLessThanOrEqual(part.kind === 'copied' ? 20 : 10);
    }
  });
});
