import fc from 'fast-check';
import { parseRange, parseRanges } from './byte-range';

it.each([
  ['bytes=0-0', 10, { start: 0, end: 0 }],
  ['bytes=2-', 10, { start: 2, end: 9 }],
  ['bytes=-3', 10, { start: 7, end: 9 }],
  ['bytes=-30', 10, { start: 0, end: 9 }],
  ['bytes=5-50', 10, { start: 5, end: 9 }],
  ['bytes=5-4', 10, undefined],
  ['bytes=0-1,4-5', 10, undefined],
  ['bytes=-', 10, undefined],
  ['items=0-1', 10, undefined],
  [undefined, 10, undefined],
])('%s of %i bytes is %j', (header, size, range) => {
  expect(parseRange(header, size)).toEqual(range);
});

it.each([
  ['bytes=10-', 10],
  ['bytes=-0', 10],
  ['bytes=0-', 0],
])('%s of %i bytes cannot be satisfied', (header, size) => {
  expect(() => parseRange(header, size)).toThrow(expect.objectContaining({ code: 'range-not-satisfiable' }));
});

it.each([
  [
    'bytes=0-1,4-5',
    [
      [0, 1],
      [4, 5],
    ],
  ],
  [
    'bytes=8-9,0-1',
    [
      [8, 9],
      [0, 1],
    ],
  ],
  [
    'bytes=0-4,2-6,9-9',
    [
      [0, 6],
      [9, 9],
    ],
  ],
  ['bytes=0-1,2-3', [[0, 3]]],
  ['bytes=-1,0-', [[0, 9]]],
  ['bytes=0-0,20-30', [[0, 0]]],
  ['bytes=0-0,x', undefined],
  ['bytes=0-0,3-2', undefined],
  ['bytes=,', undefined],
] as const)('several ranges %s of 10 bytes are %j', (header, ranges) => {
  expect(parseRanges(header, 10)).toEqual(ranges?.map(([start, end]) => ({ start, end })));
});

it('accepts 32 ranges at most, and never sends a byte twice', () => {
  const many = (count: number): string =>
    `bytes=${Array.from({ length: count }, (_, at) => `${2 * at}-${2 * at}`).join(',')}`;
  expect(parseRanges(many(32), 100)).toHaveLength(32);
  expect(parseRanges(many(33), 100)).toBeUndefined();
  const bound = fc.nat(60);
  const bytesBetween = (start: number, end: number): number[] =>
    Array.from({ length: end - start + 1 }, (_, at) => start + at);
  fc.assert(
    fc.property(fc.array(fc.tuple(bound, bound), { minLength: 1, maxLength: 8 }), (pairs) => {
      const header = pairs.map(([start, length]) => `${start}-${start + length}`).join(',');
      const sent = parseRanges(`bytes=${header}`, 61)!.flatMap(({ start, end }) => bytesBetween(start, end));
      const wanted = new Set(
        pairs.flatMap(([start, length]) => bytesBetween(start, Math.min(60, start + length))),
      );
      expect(sent.toSorted((a, b) => a - b)).toEqual([...wanted].toSorted((a, b) => a - b));
    }),
  );
});

it('stays within the content', () => {
  const bound = fc.option(fc.nat(100), { nil: '' as const });
  fc.assert(
    fc.property(bound, bound, fc.integer({ min: 1, max: 60 }), (first, last, size) => {
      try {
        const range = parseRange(`bytes=${first}-${last}`, size);
        if (range) expect(0 <= range.start && range.start <= range.end && range.end < size).toBe(true);
      } catch (error) {
        expect(error).toMatchObject({ code: 'range-not-satisfiable' });
      }
    }),
  );
});
