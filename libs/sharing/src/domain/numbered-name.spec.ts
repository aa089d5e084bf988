import fc from 'fast-check';
import { numberedName } from './numbered-name';

it.each([
  ['report.txt', 2, 'report (2).txt'],
  ['folder', 3, 'folder (3)'],
  ['testfile (2).txt', 2, 'testfile (2) (2).txt'],
  ['.profile', 2, '.profile (2)'],
  ['archive.tar.gz', 2, 'archive.tar (2).gz'],
  ['ends.', 2, 'ends (2).'],
])('%s becomes, with %i, %s', (name, number, expected) => {
  expect(numberedName(name, number)).toBe(expected);
});

it('can be stored, for every name that can be stored', () => {
  const names = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 80 })
    .filter((name) => Buffer.byteLength(name) <= 255);
  fc.assert(
    fc.property(names, fc.integer({ min: 2, max: 9999 }), (name, number) => {
      const numbered = numberedName(name, number);
      expect(Buffer.byteLength(numbered)).toBeLessThanOrEqual(255);
      expect(numbered).toContain(`(${number})`);
      expect(numbered.isWellFormed()).toBe(name.isWellFormed());
    }),
  );
});
