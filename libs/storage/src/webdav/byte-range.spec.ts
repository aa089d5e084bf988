import fc from 'fast-check';
import { parseRange } from './byte-range';

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

it('never leaves the content', () => {
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
