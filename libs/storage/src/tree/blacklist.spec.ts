import { refuseBlacklisted } from './blacklist';

it.each(['a.txt', 'part', 'a.parts', 'htaccess', 'a.htaccess'])('takes %s', (name) => {
  expect(() => refuseBlacklisted(name)).not.toThrow();
});

it.each([
  ['.htaccess', 'name-blacklisted'],
  ['.HTaccess', 'name-blacklisted'],
  ['a.part', 'name-refused'],
  ['a.PART', 'name-refused'],
  ['a.txt.filepart', 'name-refused'],
  ['a\\b', 'name-refused'],
])('refuses %s as %s', (name, code) => {
  expect(() => refuseBlacklisted(name)).toThrow(expect.objectContaining({ code }));
});
