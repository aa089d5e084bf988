import { isNamePattern, refusalOfNames } from './refused-names';

const isRefused = refusalOfNames({
  names: ['.htaccess', 'Banned.txt'],
  patterns: ['.*\\.ext$', '^bannedfilename\\..+', 'containsbannedstring'],
});

it.each([
  '.HTACCESS',
  'banned.TXT',
  '.ext',
  'filename.ext',
  'bannedfilename.txt',
  'this-ContainsBannedString.txt',
])('%s is refused', (name) => {
  expect(isRefused(name)).toBe(true);
});

it.each(['htaccess', '.extension', 'bannedfilename', 'a banned.txt', 'contains-banned-string'])(
  '%s is accepted',
  (name) => {
    expect(isRefused(name)).toBe(false);
  },
);

it.each([
  ['^\\.git', true],
  ['(?:draft|copy)-[0-9]+\\.txt$', true],
  ['a*b{2,3}', true],
  ['(a+)+$', false],
  ['(a|a)*$', false],
  ['(a)\\1', false],
  ['.*.*.*x', false],
  ['(', false],
  ['', false],
  ['a'.repeat(257), false],
])('a setting accepts the pattern %s: %s', (pattern, taken) => {
  expect(isNamePattern(pattern)).toBe(taken);
});
