import { AccountDirectory, BrowserSessions } from '#identity';
import type { Strength } from '#persistence';
import { RuntimeSettings } from '#settings';
import { eventually } from '#testing';
import { basicAuth } from '../../libs/testing/src/basic-auth';
import { FilesApp } from '../../libs/testing/src/rigs/files-app';

const demand = (key: string): string => JSON.stringify([{ scope: 'authentication', key, enabled: true }]);

let files: FilesApp;
let token: string;
let id: number;
let run = 0;

beforeAll(async () => {
  files = await FilesApp.start();
});
afterAll(() => files.stop());
beforeEach(async () => {
  const [alice, brian] = [`alice${++run}`, `brian${run}`];
  await files.addUsers(alice, brian);
  await files.dav('MKCOL', alice, '/plans');
  await files.dav('PUT', alice, '/plans/f.txt', { body: 'of alice' });
  ({ id, token } = await files.link({ path: '/plans', owner: alice, permissions: 15 }));
});

/** The cookie of a browser with a session of brian. */
async function signedIn(strength: Strength): Promise<string> {
  const account = await files.get(AccountDirectory).find(`brian${run}`);
  const browser = { userAgent: 'a browser', address: '127.0.0.1' };
  const cookie = await files.get(BrowserSessions).open(account!, strength, browser);
  return cookie.split(';')[0]!;
}

/** All addresses that show the content of the link. */
const LINK_ROUTES = {
  page: () => ['GET', `/s/${token}`, {}],
  'older page': () => ['GET', `/index.php/s/${token}?path=/f.txt`, {}],
  download: () => ['GET', `/s/${token}/download`, {}],
  listing: () => ['PROPFIND', `/remote.php/dav/public-files/${token}`, { depth: '1' }],
  'older listing': () => [
    'PROPFIND',
    '/public.php/webdav/',
    { authorization: basicAuth(token, ''), depth: '1' },
  ],
  content: () => ['GET', `/remote.php/dav/public-files/${token}/f.txt`, {}],
  'older content': () => ['GET', '/public.php/webdav/f.txt', { authorization: basicAuth(token, '') }],
  upload: () => ['PUT', `/remote.php/dav/public-files/${token}/new.txt`, {}],
  'upload in pieces': () => [
    'POST',
    `/remote.php/dav/public-files/${token}`,
    { 'tus-resumable': '1.0.0', 'upload-length': '1', 'upload-metadata': 'filename bmV3LnR4dA==' },
  ],
} as const satisfies Record<string, () => readonly [string, string, Record<string, string>]>;
type LinkRoute = keyof typeof LINK_ROUTES;
const NAMES = Object.keys(LINK_ROUTES) as LinkRoute[];
const PAGES: readonly LinkRoute[] = ['page', 'older page', 'download'];

async function enter(route: LinkRoute, cookie?: string): Promise<Response> {
  const [method, path, headers] = LINK_ROUTES[route]();
  return fetch(files.url + path, {
    method,
    redirect: 'manual',
    headers: { ...headers, ...(cookie && { cookie }) },
  });
}

describe('a link that demands an account', () => {
  beforeEach(() => files.setAttributes(id, demand('account')));

  it.each(NAMES)('is closed to visitors: %s', async (route) => {
    const reply = await enter(route);
    const text = await reply.text();
    expect(text).not.toContain('f.txt');
    if (!PAGES.includes(route))
      return expect([reply.status, text]).toEqual([403, expect.stringContaining('signed in')]);
    const [, path] = LINK_ROUTES[route]();
    expect([reply.status, reply.headers.get('location')]).toEqual([
      303,
      `/login?next=${encodeURIComponent(path)}`,
    ]);
  });

  it.each(NAMES)('is open to a signed-in user: %s', async (route) => {
    const { status, headers } = await enter(route, await signedIn('one_factor'));
    expect(status).toBeLessThan(400);
    expect(headers.get('location') ?? '').not.toContain('login');
  });

  it('gives no access after the session has ended', async () => {
    const cookie = await signedIn('one_factor');
    expect((await enter('content', cookie)).status).toBe(200);
    await files.get(BrowserSessions).endOthers(`brian${run}`, undefined);
    expect((await enter('content', cookie)).status).toBe(403);
  });

  it('is closed to a session without the second factor that its account needs', async () => {
    const [uid, group] = [`brian${run}`, `careful${run}`];
    const cookie = await signedIn('one_factor');
    await files.addGroup(group, uid);
    await files.get(RuntimeSettings).set('system', 'second_factor_groups', JSON.stringify([group]));
    await eventually('the new group', async () => (await enter('content', cookie)).status === 403);
    await files.get(RuntimeSettings).unset('system', 'second_factor_groups');
    expect((await enter('content', cookie)).status).toBe(200);
  });

  it('also asks for the password, if it has one', async () => {
    const hash = '(SELECT password_hash FROM user_account LIMIT 1)';
    await files.database.dataSource.query(`UPDATE share SET password_hash = ${hash} WHERE id = $1`, [id]);
    const reply = await enter('content', await signedIn('one_factor'));
    expect(reply.status).toBe(401);
  });

  it('does not offer to save it at another server', async () => {
    const page = await (await enter('page', await signedIn('one_factor'))).text();
    expect(page).not.toContain('createFederatedShare');
    await files.setAttributes(id, null);
    expect(await (await enter('page')).text()).toContain('createFederatedShare');
  });
});

describe('a link that demands a second factor', () => {
  beforeEach(() => files.setAttributes(id, demand('second-factor')));

  it.each(NAMES)('is closed to a session without one, with this reason: %s', async (route) => {
    const reply = await enter(route, await signedIn('one_factor'));
    expect([reply.status, await reply.text()]).toEqual([403, expect.stringContaining('second factor')]);
  });

  it.each(NAMES)('is open to a session with one: %s', async (route) => {
    expect((await enter(route, await signedIn('two_factors'))).status).toBeLessThan(400);
  });
});
