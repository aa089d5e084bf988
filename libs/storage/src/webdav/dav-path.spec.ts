import fc from 'fast-check';
import { TreeFailure } from '../tree/tree-failure';
import { pathOf } from '../tree/node-path';
import { DavFailure } from './dav-failure';
import { hrefOf, hrefsBelow, isSameTree, parseDavPath } from './dav-path';

it.each([
  ['/remote.php/webdav', '/remote.php/webdav', { of: 'caller' }, ''],
  ['/remote.php/webdav/', '/remote.php/webdav', { of: 'caller' }, ''],
  ['/remote.php/webdav/a%20b/c', '/remote.php/webdav', { of: 'caller' }, '/a b/c'],
  ['/remote.php/files/a+b', '/remote.php/files', { of: 'caller' }, '/a+b'],
  [
    '/remote.php/dav/files/al%69ce/%23%3F',
    '/remote.php/dav/files/al%69ce',
    { of: 'user', uid: 'alice' },
    '/#?',
  ],
  ['//remote.php//webdav//a', '/remote.php/webdav', { of: 'caller' }, '/a'],
  ['/remote.php/webdav/%252F', '/remote.php/webdav', { of: 'caller' }, '/%2F'],
  ['/public.php/webdav', '/public.php/webdav', { of: 'secret' }, ''],
  ['/public.php/webdav/a', '/public.php/webdav', { of: 'secret' }, '/a'],
  ['/dav/ocm/4711', '/dav/ocm/4711', { of: 'federated', providerId: '4711' }, ''],
  ['/dav/ocm/4711/', '/dav/ocm/4711', { of: 'federated', providerId: '4711' }, ''],
  ['/dav/ocm/4711/.', '/dav/ocm/4711', { of: 'federated', providerId: '4711' }, ''],
  ['/dav/ocm/4711/./a%20b/c', '/dav/ocm/4711', { of: 'federated', providerId: '4711' }, '/a b/c'],
  ['/remote.php/dav/ocm/4711/a', '/remote.php/dav/ocm/4711', { of: 'federated', providerId: '4711' }, '/a'],
  [
    '/remote.php/dav/public-files/tOk/a/',
    '/remote.php/dav/public-files/tOk',
    { of: 'link', token: 'tOk' },
    '/a',
  ],
  ['/remote.php/dav/', '/remote.php/dav', { of: 'directory', names: [] }, ''],
  ['/remote.php/dav/files', '/remote.php/dav/files', { of: 'directory', names: ['files'] }, ''],
])('%s is %s of %j at %j', (raw, base, tree, path) => {
  expect(parseDavPath(raw)).toEqual({ base, tree, path });
});

it.each([
  ['/', 'not-found'],
  ['/remote.php', 'not-found'],
  ['/remote.php/dav/else', 'not-found'],
  ['/remote.php/caldav/a', 'not-found'],
  ['/remote.php/%77ebdav/a', 'not-found'],
  ['/remote.php/d%61v/files/alice/a', 'not-found'],
  ['/remote.php/dav/%66iles/alice/a', 'not-found'],
  ['/remote.php/./webdav/a', 'not-found'],
  ['/public.php', 'not-found'],
  ['/dav', 'not-found'],
  ['/dav/files/alice', 'not-found'],
  ['/dav/ocm', 'not-found'],
  ['/dav/ocm/', 'not-found'],
  ['/remote.php/dav/ocm', 'not-found'],
  ['/dav/ocm/4711/..', 'name-refused'],
  ['/public.php/dav/a', 'not-found'],
  ['/remote.php/dav/public-files/', 'method-not-allowed'],
  ['/remote.php/webdav/a%2Fb', 'bad-request'],
  ['/remote.php/webdav/a%2fb', 'bad-request'],
  ['/remote.php/webdav/%', 'bad-request'],
  ['/remote.php/webdav/%c3', 'bad-request'],
  ['/remote.php/webdav/%2e%2e/a', 'name-refused'],
  ['/remote.php/webdav/%00', 'name-refused'],
])('%s is refused: %s', (raw, code) => {
  expect(() => parseDavPath(raw)).toThrow(expect.objectContaining({ code }));
});

it.each([
  ['/remote.php/webdav', '/remote.php/files', true],
  ['/remote.php/webdav', '/public.php/webdav', false],
  ['/public.php/webdav', '/public.php/webdav', true],
  ['/dav/ocm/1', '/remote.php/dav/ocm/1', true],
  ['/dav/ocm/1', '/dav/ocm/2', false],
  ['/dav/ocm/1', '/public.php/webdav', false],
  ['/remote.php/dav/files/alice', '/remote.php/dav/files/brian', false],
  ['/remote.php/dav/public-files/a', '/remote.php/dav/public-files/a', true],
  ['/remote.php/dav/public-files/a', '/remote.php/dav/public-files/b', false],
])('%s and %s are in the same tree: %s', (one, other, same) => {
  expect(isSameTree(parseDavPath(one).tree, parseDavPath(other).tree)).toBe(same);
});

const names = fc.array(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }).filter((name) => {
    try {
      return pathOf([name]) !== '';
    } catch {
      return false;
    }
  }),
  { maxLength: 6 },
);

it('reads back every href that it writes', () => {
  fc.assert(
    fc.property(names, fc.boolean(), (parts, isFolder) => {
      const path = pathOf(parts);
      const href = hrefOf('/remote.php/webdav', path, isFolder);
      expect(href).toMatch(/^[\x21-\x7e]+$/);
      expect(parseDavPath(href).path).toBe(path);
    }),
  );
});

it('writes the same hrefs for many entries', () => {
  const paths = fc.array(fc.tuple(names, fc.boolean()), { maxLength: 8 });
  fc.assert(
    fc.property(fc.constantFrom('/remote.php/webdav', '/public.php/webdav'), paths, (base, entries) => {
      const hrefAt = hrefsBelow(base);
      for (const [parts, isFolder] of entries) {
        const path = pathOf(parts);
        expect(hrefAt(path, isFolder)).toBe(hrefOf(base, path, isFolder));
      }
    }),
  );
});

it('either accepts a text or refuses it with an expected failure', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      try {
        expect(parseDavPath(`/remote.php/webdav/${text}`).path.split('/')).not.toContain('..');
      } catch (error) {
        expect(error instanceof DavFailure || error instanceof TreeFailure).toBe(true);
      }
    }),
  );
});
