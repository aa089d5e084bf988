import fc from 'fast-check';
import { numberedName } from './numbered-name';

it.each([
  ['report.txt', 'file', 2, 'report (2).txt'],
  ['folder', 'folder', 3, 'folder (3)'],
  ['Link of 127.0.0.1 9340', 'folder', 2, 'Link of 127.0.0.1 9340 (2)'],
  ['testfile (2).txt', 'file', 2, 'testfile (2) (2).txt'],
  ['offered.txt', null, 2, 'offered (2).txt'],
  ['.profile', 'file', 2, '.profile (2)'],
  ['archive.tar.gz', 'file', 2, 'archive.tar (2).gz'],
  ['ends.', 'file', 2, 'ends (2).'],
] as const)('%s (%s) becomes, with %i, %s', (name, kind, number, expected) => {
  expect(numberedName(name, number, kind)).toBe(expected);
});

it('can be stored, for every name that can be stored', () => {
  const names = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 80 })
    .filter((name) => Buffer.byteLength(name) <= 255);
  fc.assert(
    fc.property(
      names,
      fc.integer({ min: 2, max: 9999 }),
      fc.constantFrom('file', 'folder'),
      (name, number, kind) => {
        const numbered = numberedName(name, number, kind);
        expect(Buffer.byteLength(numbered)).toBeLessThanOrEqual(255);
        expect(numbered).toContain(`(${number})`);
        expect(numbered.isWellFormed()).toBe(name.isWellFormed());
      },
    ),
  );
});
