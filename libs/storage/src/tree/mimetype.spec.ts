import { mimetypeOf } from './mimetype';

it.each([
  ['a.txt', 'text/plain'],
  ['A.PDF', 'application/pdf'],
  ['archive.tar.gz', 'application/gzip'],
  ['.md', 'text/markdown'],
  ['none', 'application/octet-stream'],
  ['a.unheard-of', 'application/octet-stream'],
  ['a.constructor', 'application/octet-stream'],
  ['a.', 'application/octet-stream'],
])('%s is %s', (name, mimetype) => {
  expect(mimetypeOf(name)).toBe(mimetype);
});
