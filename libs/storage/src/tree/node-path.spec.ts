import fc from 'fast-check';
import { ancestorsOf, isAtOrBelow, nameOf, parentOf, parseName, parsePath, pathOf, ROOT } from './node-path';
import { TreeFailure } from './tree-failure';

const codeOf = (work: () => unknown): string => {
  try {
    work();
    return 'accepted';
  } catch (error) {
    if (error instanceof TreeFailure) return error.code;
    throw error;
  }
};

it.each([
  ['a', 'accepted'],
  ['.a', 'accepted'],
  ['...', 'accepted'],
  ['a\\b', 'accepted'],
  ['ü'.repeat(127), 'accepted'],
  ['', 'name-refused'],
  ['.', 'name-refused'],
  ['..', 'name-refused'],
  ['a/b', 'name-refused'],
  ['a\u0000b', 'name-refused'],
  ['a\nb', 'name-refused'],
  ['\ud800', 'name-refused'],
  ['n'.repeat(256), 'name-refused'],
  ['ü'.repeat(128), 'name-refused'],
])('the name %j is %s', (name, expected) => {
  expect(codeOf(() => parseName(name))).toBe(expected);
});

it('refuses paths over 4000 bytes', () => {
  const names = Array.from({ length: 16 }, () => 'n'.repeat(249));
  expect(codeOf(() => pathOf(names))).toBe('accepted');
  expect(codeOf(() => pathOf([...names, 'x']))).toBe('path-too-long');
});

it.each([
  ['', ''],
  ['/', ''],
  ['a/b/', '/a/b'],
  ['//a//b', '/a/b'],
])('reads %j as %j', (text, path) => {
  expect(parsePath(text)).toBe(path);
});

it('splits paths', () => {
  const path = parsePath('/a/b/c');
  expect([nameOf(path), parentOf(path), ancestorsOf(path)]).toEqual(['c', '/a/b', ['', '/a', '/a/b']]);
  expect([nameOf(ROOT), parentOf(ROOT), ancestorsOf(ROOT)]).toEqual(['', '', []]);
  expect([isAtOrBelow('/a/b', '/a'), isAtOrBelow('/a', '/a'), isAtOrBelow('/ab', '/a')]).toEqual([
    true,
    true,
    false,
  ]);
});

it('never leads out of the root', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), (first, second) => {
      const outcome = codeOf(() => {
        const path = parsePath(`${first}/../${second}/./..`);
        expect(path.split('/').some((name) => name === '..' || name === '.')).toBe(false);
      });
      expect(outcome).not.toBe('accepted');
    }),
  );
});

it('either accepts names unchanged or refuses them', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 300 }), { maxLength: 20 }), (names) => {
      if (codeOf(() => pathOf(names)) !== 'accepted') return;
      expect(pathOf(names).split('/').slice(1)).toEqual(names);
    }),
  );
});
