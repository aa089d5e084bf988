import { basicAuth } from '../../../libs/testing/src/basic-auth';
import { FILES_PASSWORD, FilesApp } from '../../../libs/testing/src/rigs/files-app';

let files: FilesApp;
const ids: Record<string, string> = {};

const idOf = async (path: string): Promise<string> => {
  const rows = await files.database.dataSource.query<{ id: string }[]>(
    `SELECT id FROM node WHERE owner_uid = 'alice' AND path = $1`,
    [path],
  );
  return String(rows[0]!.id);
};

beforeAll(async () => {
  files = await FilesApp.start();
  await files.addUsers('alice', 'brian', 'carol', 'diana');
  for (const folder of ['/folder', '/folder/sub & more', '/drop']) await files.dav('MKCOL', 'alice', folder);
  for (const file of ['/own.txt', '/folder/sub & more/50 %.txt', '/drop/hidden.txt'])
    await files.dav('PUT', 'alice', file, { body: file });
  for (const path of ['/folder', '/folder/sub & more/50 %.txt', '/own.txt', '/drop/hidden.txt'])
    ids[path] = await idOf(path);
  await files.share({ path: '/folder', owner: 'alice', recipient: 'brian', target: '/from alice' });
  await files.share({ path: '/folder', owner: 'alice', recipient: 'carol', state: 1 });
  await files.share({ path: '/drop', owner: 'alice', recipient: 'brian', permissions: 4 });
});
afterAll(() => files.stop());

const open = (uid: string, id: string, at = '/f/', init: RequestInit = {}): Promise<Response> =>
  fetch(`${files.url}${at}${id}`, {
    redirect: 'manual',
    headers: { authorization: basicAuth(uid, FILES_PASSWORD) },
    ...init,
  });

describe('a private link', () => {
  it.each([
    ['the owner', 'alice', '/own.txt', '/remote.php/dav/files/alice/own.txt'],
    ['the owner, of a folder', 'alice', '/folder', '/remote.php/dav/files/alice/folder/'],
    [
      'a recipient, below a share',
      'brian',
      '/folder/sub & more/50 %.txt',
      '/remote.php/dav/files/brian/from%20alice/sub%20%26%20more/50%20%25.txt',
    ],
    ['a recipient, of the share itself', 'brian', '/folder', '/remote.php/dav/files/brian/from%20alice/'],
  ])('leads %s to the file', async (_, uid, path, location) => {
    for (const at of ['/f/', '/index.php/f/']) {
      const reply = await open(uid, ids[path]!, at);
      expect([reply.status, reply.headers.get('location')]).toEqual([303, location]);
      expect(reply.headers.get('webdav-location')).toBe(location);
      expect(reply.headers.get('cache-control')).toBe('no-store');
    }
  });

  it('gives the bytes of a file to a client that follows it, even after the file was moved', async () => {
    const follow = () => open('alice', ids['/own.txt']!, '/f/', { redirect: 'follow' });
    expect(await (await follow()).text()).toBe('/own.txt');
    await files.dav('MOVE', 'alice', '/own.txt', {
      headers: { destination: `${files.url}/remote.php/webdav/folder/moved.txt` },
    });
    expect(await (await follow()).text()).toBe('/own.txt');
    const reply = await open('brian', ids['/own.txt']!);
    expect(reply.headers.get('location')).toBe('/remote.php/dav/files/brian/from%20alice/moved.txt');
  });

  it('is the value of the property oc:privatelink', async () => {
    const body =
      '<d:propfind xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns"><d:prop><oc:privatelink/></d:prop></d:propfind>';
    const reply = await files.dav('PROPFIND', 'alice', '/folder', { headers: { depth: '0' }, body });
    expect(await reply.text()).toContain(`/f/${ids['/folder']}</oc:privatelink>`);
  });

  it.each([
    ['a user without a share', 'diana', '/folder'],
    ['the recipient of a share that is not accepted', 'carol', '/folder'],
    ['the recipient of an upload-only share, for a file in it', 'brian', '/drop/hidden.txt'],
  ])('shows nothing to %s', async (_, uid, path) => {
    const reply = await open(uid, ids[path]!);
    expect(reply.status).toBe(404);
    expect(reply.headers.get('location')).toBeNull();
  });

  it.each(['0', '-1', '99999999', '1e3', '9'.repeat(30), 'abc', '%00', '1.5'])(
    'is 404 or 400 for the id %s',
    async (id) => {
      expect([400, 404]).toContain((await open('alice', id)).status);
    },
  );

  it('reports a disabled account only with its password', async () => {
    await files.database.dataSource.query(`UPDATE user_account SET enabled = false WHERE uid = 'diana'`);
    const ask = (password: string) =>
      open('diana', ids['/folder']!, '/f/', { headers: { authorization: basicAuth('diana', password) } });
    const [right, wrong] = [await ask(FILES_PASSWORD), await ask('wrong')];
    expect([right.status, wrong.status]).toEqual([403, 401]);
    expect(await right.text()).toContain('Your account is disabled');
  });

  it('asks for credentials', async () => {
    const wrong = { headers: { authorization: basicAuth('alice', 'wrong') } };
    for (const init of [{ headers: {} }, wrong]) {
      const reply = await open('alice', ids['/folder']!, '/f/', init);
      expect(reply.status).toBe(401);
      expect(reply.headers.get('www-authenticate')).toBe('Basic realm="Drawbridge", charset="UTF-8"');
      expect(await reply.text()).toContain('Sign in');
    }
  });
});
