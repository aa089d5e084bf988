import { RuntimeSettings } from '#settings';
import { FilesApp } from '../../../libs/testing/src/rigs/files-app';
import { countStatements } from '../../../libs/testing/src/rigs/statement-count';

let files: FilesApp;

const NAMESPACES = 'xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns"';
const SETTING = ['system', 'dav.propfind.depth_infinity'] as const;

async function pathsOf(reply: Response, base = '/remote.php/webdav'): Promise<string[]> {
  expect(reply.status).toBe(207);
  return [...(await reply.text()).matchAll(/<d:href>(.*?)<\/d:href>/g)].map((match) =>
    decodeURIComponent(match[1]!.slice(base.length)),
  );
}

const listed = (uid: string, path: string): Promise<Response> =>
  files.dav('PROPFIND', uid, path, { headers: { depth: 'infinity' } });
const report = (uid: string, path: string, body: string): Promise<Response> =>
  files.dav('REPORT', uid, path, { body });
const searchFor = (pattern: string, limit = ''): string =>
  `<oc:search-files ${NAMESPACES}><d:prop><oc:fileid/><d:getetag/></d:prop><oc:search>
   <oc:pattern>${pattern}</oc:pattern>${limit && `<oc:limit>${limit}</oc:limit>`}</oc:search></oc:search-files>`;
const FAVORITES = `<oc:filter-files ${NAMESPACES}><d:prop><oc:favorite/></d:prop>
  <oc:filter-rules><oc:favorite>1</oc:favorite></oc:filter-rules></oc:filter-files>`;
const likeName = (pattern: string, scope: string): string =>
  `<d:searchrequest ${NAMESPACES}><d:basicsearch><d:select><d:prop><d:displayname/></d:prop></d:select>
   <d:from><d:scope><d:href>${scope}</d:href><d:depth>infinity</d:depth></d:scope></d:from>
   <d:where><d:like><d:prop><d:displayname/></d:prop><d:literal>${pattern}</d:literal></d:like></d:where>
   </d:basicsearch></d:searchrequest>`;

beforeAll(async () => {
  files = await FilesApp.start();
  await files.addUsers('alice', 'brian', 'carol');
  for (const folder of ['/shared', '/shared/deep']) await files.dav('MKCOL', 'alice', folder);
  await files.dav('PUT', 'alice', '/shared/deep/Upload.txt', { body: 'of alice' });
  await files.dav('PUT', 'alice', '/shared/other.txt', { body: 'of alice' });
  for (const folder of ['/own', '/own/below', '/hidden']) await files.dav('MKCOL', 'brian', folder);
  await files.dav('PUT', 'brian', '/own/below/uploaded.txt', { body: 'of brian' });
  await files.dav('PUT', 'brian', '/hidden/upload.txt', { body: 'hidden by a mount' });
  await files.share({ path: '/shared', owner: 'alice', recipient: 'brian', target: '/own/from alice' });
  await files.dav('MKCOL', 'alice', '/hides');
  await files.share({ path: '/hides', owner: 'alice', recipient: 'brian' });
  // Shares are placed under free names, but a folder that is made elsewhere at the same time can still get the same path.
  await files.dav('PROPFIND', 'brian', '/');
  await files.database.dataSource.query(
    `UPDATE share_recipient SET file_target = '/hidden' WHERE uid = 'brian' AND file_target = '/hides'`,
  );
  await files.dav('MKCOL', 'carol', '/drop');
  await files.dav('PUT', 'carol', '/drop/upload.txt', { body: 'not to be listed' });
  await files.share({ path: '/drop', owner: 'carol', recipient: 'brian', permissions: 4 });
});
afterAll(() => files.stop());
afterEach(() => files.get(RuntimeSettings).unset(...SETTING));

describe('PROPFIND with Depth: infinity', () => {
  it('is refused with the condition of RFC 4918 unless a setting allows it', async () => {
    const reply = await listed('brian', '/');
    expect(reply.status).toBe(403);
    expect(await reply.text()).toContain('<d:propfind-finite-depth/>');
  });

  it('lists everything that the user sees below a folder, with mounts, and nothing of an upload-only share', async () => {
    await files.get(RuntimeSettings).set(...SETTING, 'yes');
    expect(await pathsOf(await listed('brian', '/'))).toEqual([
      '/',
      '/drop/',
      '/hidden/',
      '/own/',
      '/own/below/',
      '/own/below/uploaded.txt',
      '/own/from alice/',
      '/own/from alice/deep/',
      '/own/from alice/deep/Upload.txt',
      '/own/from alice/other.txt',
    ]);
    expect(await pathsOf(await listed('brian', '/own/from alice/deep'))).toEqual([
      '/own/from alice/deep/',
      '/own/from alice/deep/Upload.txt',
    ]);
    expect(await pathsOf(await listed('alice', '/shared/other.txt'))).toEqual(['/shared/other.txt']);
  });

  it('gives every entry the etag and permissions that its own listing gives', async () => {
    await files.get(RuntimeSettings).set(...SETTING, 'yes');
    const body = `<d:propfind ${NAMESPACES}><d:prop><d:getetag/><oc:permissions/></d:prop></d:propfind>`;
    const entriesOf = async (path: string, depth: string): Promise<string[]> => {
      const reply = await files.dav('PROPFIND', 'brian', path, { body, headers: { depth } });
      return (await reply.text()).match(/<d:response>.*?<\/d:response>/gs)!;
    };
    const one = await entriesOf('/', 'infinity');
    for (const folder of ['/', '/own', '/own/from alice', '/own/from alice/deep'])
      expect(one).toEqual(expect.arrayContaining(await entriesOf(folder, '1')));
  });

  it('lists the content of a link', async () => {
    await files.get(RuntimeSettings).set(...SETTING, 'yes');
    const { token } = await files.link({ path: '/shared', owner: 'alice' });
    const base = `/remote.php/dav/public-files/${token}`;
    const reply = await fetch(`${files.url}${base}/`, { method: 'PROPFIND', headers: { depth: 'infinity' } });
    expect(await pathsOf(reply, base)).toEqual(['/', '/deep/', '/deep/Upload.txt', '/other.txt']);
  });
});

describe('a search for a part of a name', () => {
  it('finds it regardless of case in own files and received shares, but not in hidden or unlisted places', async () => {
    expect(await pathsOf(await report('brian', '/', searchFor('UPLOAD')))).toEqual([
      '/own/below/uploaded.txt',
      '/own/from alice/deep/Upload.txt',
    ]);
  });

  it('finds mounts by the user’s name for them, and searches below the requested folder', async () => {
    expect(await pathsOf(await report('brian', '/', searchFor('alice')))).toEqual(['/own/from alice/']);
    expect(await pathsOf(await report('brian', '/own/below', searchFor('alice')))).toEqual([]);
  });

  it('treats no character as a wildcard, and stops at the limit', async () => {
    expect(await pathsOf(await report('brian', '/', searchFor('%')))).toEqual([]);
    expect(await pathsOf(await report('brian', '/', searchFor('upload', '1')))).toHaveLength(1);
  });

  it('costs the same number of statements for any number of results', async () => {
    // The first search also reads values that stay in memory afterwards.
    await report('brian', '/', searchFor('deep'));
    const few = await countStatements(files.appDatabase, () => report('brian', '/', searchFor('deep')));
    for (let index = 0; index < 5; index += 1) await files.dav('MKCOL', 'brian', `/own/below/many ${index}`);
    const many = await countStatements(files.appDatabase, () => report('brian', '/', searchFor('many')));
    expect(many).toBe(few);
  });

  it.each([
    ['an empty text', searchFor(''), 400],
    ['a limit that is no number', searchFor('x', 'ten'), 400],
    ['an unknown report', `<d:sync-collection ${NAMESPACES}/>`, 501],
    ['a tag', FAVORITES.replace(/<oc:favorite>1<\/oc:favorite>/, '<oc:systemtag>1</oc:systemtag>'), 412],
    ['no rule', FAVORITES.replace(/<oc:favorite>1<\/oc:favorite>/, ''), 400],
    ['no XML', 'x', 400],
  ])('refuses %s', async (_name, body, status) => {
    expect((await report('brian', '/', body)).status).toBe(status);
  });

  it('is for accounts: a link cannot be searched', async () => {
    const { token } = await files.link({ path: '/shared', owner: 'alice' });
    const address = `${files.url}/remote.php/dav/public-files/${token}/`;
    expect((await fetch(address, { method: 'REPORT', body: searchFor('x') })).status).toBe(403);
  });
});

it('lists the favorites of the user in a report, also mounts', async () => {
  const mark = (uid: string, path: string): Promise<Response> =>
    files.dav('PROPPATCH', uid, path, {
      body: `<d:propertyupdate ${NAMESPACES}><d:set><d:prop><oc:favorite>1</oc:favorite></d:prop></d:set></d:propertyupdate>`,
    });
  for (const path of ['/own/below/uploaded.txt', '/own/from alice', '/own/from alice/deep'])
    await mark('brian', path);
  await mark('alice', '/shared/other.txt');
  expect(await pathsOf(await report('brian', '/', FAVORITES))).toEqual([
    '/own/below/uploaded.txt',
    '/own/from alice/',
    '/own/from alice/deep/',
  ]);
});

describe('SEARCH', () => {
  const atAllTrees = (uid: string, body: string): Promise<Response> =>
    fetch(`${files.url}/remote.php/dav/`, {
      method: 'SEARCH',
      headers: { authorization: files.authorizationOf(uid), 'content-type': 'text/xml' },
      body,
    });

  it('finds names at the address of all trees, in the scope of the body', async () => {
    const reply = await atAllTrees('brian', likeName('%upload%', '/files/brian/own'));
    expect(await pathsOf(reply, '/remote.php/dav/files/brian')).toEqual([
      '/own/below/uploaded.txt',
      '/own/from alice/deep/Upload.txt',
    ]);
  });

  it('refuses other people’s files, other conditions, and callers without an account', async () => {
    expect((await atAllTrees('brian', likeName('%x%', '/files/alice'))).status).toBe(403);
    expect((await atAllTrees('brian', likeName('x%', '/files/brian'))).status).toBe(501);
    const anonymous = await fetch(`${files.url}/remote.php/dav/`, { method: 'SEARCH', body: 'x' });
    expect(anonymous.status).toBe(401);
  });
});

describe('addresses above the trees', () => {
  const ask = (method: string, path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${files.url}/remote.php/dav${path}`, {
      method,
      headers: { authorization: files.authorizationOf('brian'), ...headers },
    });

  it('list their collections, and link to the principal of the caller', async () => {
    const reply = await ask('PROPFIND', '/', { depth: '1' });
    expect(reply.status).toBe(207);
    const xml = await reply.text();
    expect(xml).toContain('<d:href>/remote.php/dav/principals/users/brian/</d:href>');
    const principal = await ask('PROPFIND', '/principals/users/brian/', { depth: '0' });
    expect(await principal.text()).toContain('<d:displayname>brian</d:displayname>');
  });

  it.each([
    ['PROPFIND', '/principals/users/alice', 404],
    ['PROPFIND', '/files', 405],
    ['GET', '/', 405],
    ['DELETE', '/principals/users/brian', 405],
    ['PROPFIND', '/else', 404],
    ['OPTIONS', '/', 200],
  ])('answer %s %s with %i', async (method, path, status) => {
    expect((await ask(method, path)).status).toBe(status);
  });

  it('ask for an account', async () => {
    expect((await fetch(`${files.url}/remote.php/dav/`, { method: 'PROPFIND' })).status).toBe(401);
  });
});
