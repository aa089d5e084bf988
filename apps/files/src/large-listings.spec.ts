import { pastTriggers } from '../../../libs/testing/src/rigs/past-triggers';
import { FilesApp } from '../../../libs/testing/src/rigs/files-app';

const ENTRIES = 4_100;

let files: FilesApp;
beforeAll(async () => {
  files = await FilesApp.start();
  await files.addUsers('alice', 'brian');
  await files.dav('MKCOL', 'alice', '/many');
  await files.database.dataSource.query(
    pastTriggers(`INSERT INTO node (storage_id, parent_id, owner_uid, name, path, kind, mimetype, mtime, etag)
     SELECT storage_id, id, owner_uid, 'entry ' || i, path || '/entry ' || i, 'folder', 'httpd/unix-directory', now(), 'etag' || i
     FROM node, generate_series(1, ${ENTRIES}) AS i WHERE owner_uid = 'alice' AND path = '/many'`),
  );
  await files.dav('MKCOL', 'brian', '/given');
  await files.share({ path: '/given', owner: 'brian', recipient: 'alice', target: '/many/given' });
});
afterAll(() => files.stop());

const PROPERTIES = `<d:propfind xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns"><d:prop><d:getetag/><oc:permissions/></d:prop></d:propfind>`;

async function list(uid: string, path: string): Promise<Map<string, string>> {
  const reply = await files.dav('PROPFIND', uid, path, { headers: { depth: '1' }, body: PROPERTIES });
  expect(reply.status).toBe(207);
  const text = await reply.text();
  expect(text).toMatch(/^<\?xml version="1.0"\?>\n<d:multistatus [^>]*>.*<\/d:multistatus>\n$/s);
  const entries = [...text.matchAll(/<d:response><d:href>(.*?)<\/d:href>(.*?)<\/d:response>/gs)];
  expect(new Set(entries.map(([, href]) => href)).size).toBe(entries.length);
  return new Map(entries.map(([, href, xml]) => [decodeURIComponent(href!), xml!]));
}

it('a folder of thousands of entries is listed completely, with received shares, like each entry alone', async () => {
  const listed = await list('alice', '/many');
  expect(listed.size).toBe(ENTRIES + 2);
  expect(listed.keys().next().value).toBe('/remote.php/webdav/many/');
  for (const name of ['entry 1', 'given', 'entry 2999', `entry ${ENTRIES}`]) {
    const href = `/remote.php/webdav/many/${name}/`;
    expect([href, listed.get(href)]).toEqual([href, (await list('alice', `/many/${name}`)).get(href)]);
  }
  expect(listed.get('/remote.php/webdav/many/given/')).toContain('<oc:permissions>S');
});

it('still serves others while nobody reads a listing to its end', async () => {
  const aborted = new AbortController();
  const reply = await fetch(files.addressOf('/many'), {
    method: 'PROPFIND',
    headers: { authorization: files.authorizationOf('alice'), depth: '1' },
    signal: aborted.signal,
  });
  aborted.abort();
  await expect(reply.text()).rejects.toThrow('aborted');
  expect((await list('alice', '/many')).size).toBe(ENTRIES + 2);
});
