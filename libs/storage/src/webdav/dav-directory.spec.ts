import { listDirectory } from './dav-directory';
import { parsePropfind } from './propfind-request';

const ALICE = { uid: 'alice', displayName: 'Alice & Co', groups: ['staff'] };
const named = (...names: string[]) =>
  parsePropfind(
    `<propfind xmlns="DAV:"><prop>${names.map((name) => `<${name}/>`).join('')}</prop></propfind>`,
  );
const hrefs = (path: string[], depth: 0 | 1): string[] =>
  listDirectory(path, depth, named('resourcetype'), ALICE).map(({ href }) => href);
const found = (path: string[], ...names: string[]): string =>
  listDirectory(path, 0, named(...names), ALICE)[0]!.propstats[0]!.properties;

it('lists the collections above the trees', () => {
  expect(hrefs([], 1)).toEqual(['/remote.php/dav/', '/remote.php/dav/files/', '/remote.php/dav/principals/']);
  expect(hrefs(['principals'], 1)).toEqual([
    '/remote.php/dav/principals/',
    '/remote.php/dav/principals/users/',
    '/remote.php/dav/principals/groups/',
  ]);
  expect(hrefs(['principals', 'users', 'alice'], 1)).toEqual(['/remote.php/dav/principals/users/alice/']);
});

it('describes the caller, with the right address from everywhere', () => {
  const self = '<d:href>/remote.php/dav/principals/users/alice/</d:href>';
  expect(found([], 'current-user-principal', 'displayname')).toBe(
    `<d:current-user-principal>${self}</d:current-user-principal>`,
  );
  expect(found(['principals', 'users', 'Alice'], 'displayname', 'resourcetype', 'group-membership')).toBe(
    '<d:displayname>Alice &amp; Co</d:displayname><d:resourcetype><d:principal/></d:resourcetype>' +
      '<d:group-membership><d:href>/remote.php/dav/principals/groups/staff/</d:href></d:group-membership>',
  );
  expect(found(['principals', 'groups', 'staff'], 'principal-URL')).toContain('/groups/staff/');
});

it('reports missing properties of an address', () => {
  const [entry] = listDirectory([], 0, named('displayname'), ALICE);
  expect(entry!.propstats).toContainEqual({ status: 404, properties: '<d:displayname/>' });
});

it.each([
  [['principals', 'users', 'brian'], 0, 'not-found'],
  [['principals', 'groups', 'others'], 0, 'not-found'],
  [['principals', 'users', 'alice', 'x'], 0, 'not-found'],
  [['principals', 'rooms'], 0, 'not-found'],
  [['principals', 'users'], 1, 'method-not-allowed'],
  [['files'], 1, 'method-not-allowed'],
  [[], 'infinity', 'finite-depth'],
] as const)('%j with depth %s is refused: %s', (names, depth, code) => {
  expect(() => listDirectory(names, depth, named('resourcetype'), ALICE)).toThrow(
    expect.objectContaining({ code }),
  );
});
