import { createHash } from 'node:crypto';
import { FilesApp } from '../../../libs/testing/src/rigs/files-app';
import { countStatements } from '../../../libs/testing/src/rigs/statement-count';

let files: FilesApp;

beforeAll(async () => {
  files = await FilesApp.start();
  await files.addUsers('alice', 'brian', 'carol');
});
afterAll(() => files.stop());

const ALL_NAMED = `<d:propfind xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns" xmlns:ocs="http://open-collaboration-services.org/ns" xmlns:nc="http://nextcloud.org/ns"><d:prop>
  <d:getlastmodified/><d:getcontentlength/><d:resourcetype/><d:getetag/><d:getcontenttype/><d:quota-used-bytes/><d:quota-available-bytes/>
  <oc:fileid/><oc:id/><oc:permissions/><oc:size/><oc:owner-id/><oc:owner-display-name/><oc:share-types/><ocs:share-permissions/><oc:favorite/>
  <oc:tags/><oc:checksums/><oc:privatelink/><oc:downloadURL/><oc:has-preview/><nc:has-preview/><x:unknown xmlns:x="urn:x"/></d:prop></d:propfind>`;

const list = (uid: string, path: string, body?: string) =>
  files.dav('PROPFIND', uid, path, { body, headers: { depth: '1' } });
const patch = (uid: string, path: string, inner: string) =>
  files.dav('PROPPATCH', uid, path, {
    body: `<d:propertyupdate xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns" xmlns:z="urn:z">${inner}</d:propertyupdate>`,
  });

it('answers every property that clients request, with 404 for unknown ones', async () => {
  await files.dav('PUT', 'alice', '/p.txt', { body: 'content' });
  const xml = await (
    await files.dav('PROPFIND', 'alice', '/p.txt', { body: ALL_NAMED, headers: { depth: '0' } })
  ).text();
  const [found, missing] = xml.split('HTTP/1.1 200 OK');
  const names = (text: string) =>
    [...text.matchAll(/<(\w+:[\w-]+)(?: [^>]*?)?\/?>/g)]
      .map((match) => match[1])
      .filter((name) => !name!.startsWith('d:prop'));
  expect(found).toMatch(/<oc:owner-id>alice<\/oc:owner-id><oc:owner-display-name>alice</);
  expect(found).toMatch(/<oc:size>7</);
  expect(found).toMatch(/<oc:privatelink>http:\/\/[^<]*\/f\/\d+</);
  expect(found).toMatch(/<x1:share-permissions xmlns:x1="[^"]*">19</);
  expect(found).toMatch(/<d:getcontenttype>text\/plain</);
  expect(names(missing!)).toEqual(
    ['d:status', 'd:quota-used-bytes', 'd:quota-available-bytes', 'x1:unknown', 'd:status'].slice(1),
  );
});

it('gives the default set if nothing is named, and only names for propname', async () => {
  await files.dav('MKCOL', 'alice', '/defaults');
  const all = await (await files.dav('PROPFIND', 'alice', '/defaults', { headers: { depth: '0' } })).text();
  for (const name of ['getlastmodified', 'resourcetype', 'quota-used-bytes', 'getetag'])
    expect(all).toContain(`<d:${name}>`);
  expect(all).toContain('<d:quota-available-bytes>-3</d:quota-available-bytes>');
  expect(all).not.toContain('oc:fileid');
  const body = '<propfind xmlns="DAV:"><propname/></propfind>';
  const named = await (
    await files.dav('PROPFIND', 'alice', '/defaults', { body, headers: { depth: '0' } })
  ).text();
  expect(named).toContain('<oc:fileid/>');
});

it('reads the bodies of clients, and refuses one with broken namespaces', async () => {
  await files.dav('MKCOL', 'alice', '/bodies');
  const status = async (body: string) => (await list('alice', '/bodies', body)).status;
  expect(await status("<d:propfind xmlns:d='DAV:'><allprop/></d:propfind>")).toBe(207);
  expect(await status('<propfind xmlns="DAV:" xmlns:x=""><allprop/></propfind>')).toBe(400);
  expect(await status('<d:propfind xmlns:d="DAV:"><d:prop><x:y/></d:prop></d:propfind>')).toBe(400);
});

it('stores the properties that clients set, and either all or none of a change', async () => {
  await files.dav('PUT', 'alice', '/dead.txt', { body: 'x' });
  const set = await (
    await patch(
      'alice',
      '/dead.txt',
      '<d:set><d:prop><z:color>a &amp; b</z:color><z:rich><z:i>1</z:i></z:rich></d:prop></d:set>',
    )
  ).text();
  expect(set).toContain('HTTP/1.1 200 OK');
  await files.transfer('MOVE', 'alice', '/dead.txt', '/alive.txt');
  await files.transfer('COPY', 'alice', '/alive.txt', '/copied.txt');
  const body =
    '<d:propfind xmlns:d="DAV:"><d:prop><z:color xmlns:z="urn:z"/><z:rich xmlns:z="urn:z"/></d:prop></d:propfind>';
  for (const path of ['/alive.txt', '/copied.txt']) {
    const xml = await (await files.dav('PROPFIND', 'alice', path, { body, headers: { depth: '0' } })).text();
    expect(xml).toContain('<x1:color xmlns:x1="urn:z">a &amp; b</x1:color>');
    expect(xml).toContain('<x1:rich xmlns:x1="urn:z"><x1:i xmlns:x1="urn:z">1</x1:i></x1:rich>');
  }
  const mixed = await (
    await patch(
      'alice',
      '/alive.txt',
      '<d:set><d:prop><z:color>new</z:color><d:getetag>"x"</d:getetag></d:prop></d:set>',
    )
  ).text();
  expect(mixed).toMatch(
    /<d:getetag\/><\/d:prop><d:status>HTTP\/1.1 403 .*<x1:color[^>]*\/><\/d:prop><d:status>HTTP\/1.1 424 /,
  );
  await patch('alice', '/alive.txt', '<d:remove><d:prop><z:color/></d:prop></d:remove>');
  const after = await (
    await files.dav('PROPFIND', 'alice', '/alive.txt', { body, headers: { depth: '0' } })
  ).text();
  expect(after).toContain('<x1:color xmlns:x1="urn:z"/></d:prop><d:status>HTTP/1.1 404');
});

it.each([
  ['', ''],
  [' beside the time of the last change', '<d:lastmodified>1551571200</d:lastmodified>'],
])('stores nothing of a change that the database breaks off%s', async (_, time) => {
  await files.dav('PUT', 'alice', '/broken.txt', { body: 'x' });
  const before = await files.property('alice', '/broken.txt', 'd:getlastmodified');
  const query = (sql: string): Promise<unknown[]> => files.database.dataSource.query(sql);
  await query(`ALTER TABLE dead_property ADD CONSTRAINT no_second CHECK (name <> 'second')`);
  try {
    const both = `<d:set><d:prop>${time}<z:first>1</z:first><z:second>2</z:second></d:prop></d:set>`;
    expect((await patch('alice', '/broken.txt', both)).status).toBe(500);
  } finally {
    await query('ALTER TABLE dead_property DROP CONSTRAINT no_second');
  }
  expect(await query(`SELECT FROM dead_property WHERE name = 'first'`)).toEqual([]);
  expect(await files.property('alice', '/broken.txt', 'd:getlastmodified')).toBe(before);
});

describe('the time of the last change', () => {
  const set = (uid: string, path: string, inner: string) =>
    patch(uid, path, `<d:set><d:prop>${inner}</d:prop></d:set>`).then((reply) => reply.text());
  const TIME = '<lastmodified xmlns="DAV:">1551571200</lastmodified>';
  const SHOWN = 'Sun, 03 Mar 2019 00:00:00 GMT';
  const shown = (path: string) => files.property('alice', path, 'd:getlastmodified');
  const etags = () => Promise.all(['/timed', '/'].map((path) => files.property('alice', path, 'd:getetag')));

  beforeEach(async () => {
    await files.dav('MKCOL', 'alice', '/timed');
    await files.dav('PUT', 'alice', '/timed/a.txt', { body: 'x' });
  });

  it.each(['/timed/a.txt', '/timed'])(
    'is set for %s, which gets a new etag like the folders above',
    async (path) => {
      const [etag, above] = [await files.property('alice', path, 'd:getetag'), await etags()];
      expect(await set('alice', path, TIME)).toContain('HTTP/1.1 200 OK');
      expect(await shown(path)).toBe(SHOWN);
      expect(await files.property('alice', path, 'd:getetag')).not.toBe(etag);
      for (const [index, now] of (await etags()).entries()) expect(now).not.toBe(above[index]);
      expect((await files.dav('GET', 'alice', '/timed/a.txt')).status).toBe(200);
    },
  );

  it('is set beside the checksums of the file, but not beside others', async () => {
    const checksum = (text: string) =>
      `${TIME}<oc:checksums><oc:checksum>${text}</oc:checksum></oc:checksums>`;
    expect(await set('alice', '/timed/a.txt', checksum('MD5:00'))).toMatch(/<oc:checksums\/>.* 403 .* 424 /);
    expect(await shown('/timed/a.txt')).not.toBe(SHOWN);
    const md5 = `MD5:${createHash('md5').update('x').digest('hex')}`;
    expect(await set('alice', '/timed/a.txt', checksum(md5))).not.toContain(' 403 ');
    expect(await shown('/timed/a.txt')).toBe(SHOWN);
  });

  it('is a number of seconds, and needs the permission to change', async () => {
    await files.share({
      path: '/timed/a.txt',
      owner: 'alice',
      recipient: 'brian',
      permissions: 17,
      target: '/b.txt',
    });
    expect(await set('brian', '/b.txt', TIME)).toContain(' 403 ');
    for (const text of ['', 'yesterday', '-99999999999'])
      expect(await set('alice', '/timed/a.txt', TIME.replace('1551571200', text))).toContain(' 403 ');
    const removed = await patch(
      'alice',
      '/timed/a.txt',
      '<d:remove><d:prop><d:lastmodified/></d:prop></d:remove>',
    );
    expect(await removed.text()).toContain(' 403 ');
    expect(await shown('/timed/a.txt')).not.toBe(SHOWN);
  });
});

it('makes no favourite of the copy of one', async () => {
  await files.dav('PUT', 'alice', '/liked.txt', { body: 'x' });
  await patch('alice', '/liked.txt', '<d:set><d:prop><oc:favorite>1</oc:favorite></d:prop></d:set>');
  expect((await files.transfer('COPY', 'alice', '/liked.txt', '/copy-of-liked.txt')).status).toBe(201);
  expect(await files.property('alice', '/liked.txt', 'oc:favorite')).toBe('1');
  expect(await files.property('alice', '/copy-of-liked.txt', 'oc:favorite')).toBe('0');
});

it('keeps favourites for each user, and shared properties only with the permission to change', async () => {
  await files.dav('PUT', 'alice', '/fav.txt', { body: 'x' });
  await files.share({ path: '/fav.txt', owner: 'alice', recipient: 'brian', permissions: 1 });
  expect(await files.property('brian', '/fav.txt', 'oc:favorite')).toBe('0');
  await patch('brian', '/fav.txt', '<d:set><d:prop><oc:favorite>1</oc:favorite></d:prop></d:set>');
  expect(await files.property('brian', '/fav.txt', 'oc:favorite')).toBe('1');
  expect(await files.property('alice', '/fav.txt', 'oc:favorite')).toBe('0');
  expect(
    await (await patch('brian', '/fav.txt', '<d:set><d:prop><z:a>1</z:a></d:prop></d:set>')).text(),
  ).toContain(' 403 ');
});

it.each([
  ['a name too long for any index', `<z:${'n'.repeat(2000)}>1</z:${'n'.repeat(2000)}>`],
  ['a value too long', `<z:a>${'v'.repeat(20_000)}</z:a>`],
  ['too many', Array.from({ length: 101 }, (_, index) => `<z:n${index}/>`).join('')],
])('refuses to keep %s', async (_, properties) => {
  await files.dav('PUT', 'alice', '/limits.txt', { body: 'x' });
  expect(
    await (await patch('alice', '/limits.txt', `<d:set><d:prop>${properties}</d:prop></d:set>`)).text(),
  ).toContain(' 403 ');
});

it('lets properties be changed on a node that has as many as it may have', async () => {
  await files.dav('PUT', 'alice', '/full.txt', { body: 'x' });
  const set = async (properties: string) =>
    (await patch('alice', '/full.txt', `<d:set><d:prop>${properties}</d:prop></d:set>`)).text();
  const all = Array.from({ length: 100 }, (_, index) => `<z:n${index}/>`).join('');
  for (const accepted of [all, '<z:n7>new</z:n7>', all])
    expect(await set(accepted)).toContain('HTTP/1.1 200 OK');
  expect(await set('<z:another/>')).toContain(' 403 ');
});

it('keeps the limit of a node when several changes come at once', async () => {
  await files.dav('PUT', 'alice', '/crowded.txt', { body: 'x' });
  const set = async (properties: string) =>
    (await patch('alice', '/crowded.txt', `<d:set><d:prop>${properties}</d:prop></d:set>`)).text();
  await set(Array.from({ length: 90 }, (_, index) => `<z:n${index}/>`).join(''));
  const replies = await Promise.all(
    Array.from({ length: 12 }, (_, index) => {
      const time = index % 2 === 0 ? '' : '<d:lastmodified>1551571200</d:lastmodified>';
      return set(`${time}<z:a${index}/><z:b${index}/>`);
    }),
  );
  expect(replies.filter((reply) => reply.includes('HTTP/1.1 200 OK'))).toHaveLength(5);
  expect(
    await files.database.dataSource.query(`SELECT FROM dead_property WHERE name ~ '^[ab][0-9]'`),
  ).toHaveLength(10);
});

it('refuses bodies that the database cannot store, and requests for too many properties', async () => {
  expect((await patch('alice', '/', '<d:set><d:prop><z:a>\u0000</z:a></d:prop></d:set>')).status).toBe(400);
  const names = Array.from({ length: 201 }, (_, index) => `<n${index}/>`).join('');
  const body = `<d:propfind xmlns:d="DAV:"><d:prop>${names}</d:prop></d:propfind>`;
  expect((await files.dav('PROPFIND', 'alice', '/', { body })).status).toBe(400);
});

it('gives a renamed file the type of its new name', async () => {
  await files.dav('PUT', 'alice', '/typed.txt', { body: 'x' });
  await files.transfer('MOVE', 'alice', '/typed.txt', '/typed.pdf');
  expect(await files.property('alice', '/typed.pdf', 'd:getcontenttype')).toBe('application/pdf');
  await files.transfer('COPY', 'alice', '/typed.pdf', '/typed.png');
  expect(await files.property('alice', '/typed.png', 'd:getcontenttype')).toBe('image/png');
});

it('lists a folder with a constant number of statements', async () => {
  const database = files.appDatabase;
  await files.dav('MKCOL', 'carol', '/many');
  const fill = async (from: number, to: number) => {
    for (let index = from; index < to; index++) {
      await files.dav('PUT', 'carol', `/many/${index}.txt`, { body: 'x' });
      await files.dav('MKCOL', 'alice', `/to-carol-${index}`);
      await files.share({
        path: `/to-carol-${index}`,
        owner: 'alice',
        recipient: 'carol',
        target: `/many/mount-${index}`,
      });
    }
    expect((await list('carol', '/many')).status).toBe(207);
  };
  await fill(0, 1);
  const few = await countStatements(database, () => list('carol', '/many', ALL_NAMED));
  await fill(1, 12);
  const many = await countStatements(database, () => list('carol', '/many', ALL_NAMED));
  expect((await (await list('carol', '/many', ALL_NAMED)).text()).match(/<d:response>/g)).toHaveLength(25);
  expect([few, many]).toEqual([8, 8]);
});
