import { RuntimeSettings } from '#settings';
import { FilesApp } from '../../../libs/testing/src/rigs/files-app';
import { basicAuth } from '../../../libs/testing/src/basic-auth';
import { FakeRemoteFiles } from '../../../libs/testing/src/fakes/fake-remote-files';
import { eventually } from '../../../libs/testing/src/waiting';

const VIEW_ONLY = '[{"scope":"permissions","key":"download","enabled":false}]';

let files: FilesApp;
const partner = new FakeRemoteFiles();
let run = 0;
let brian: string;
let carol: string;
let there: string;
let shareId: number;

beforeAll(async () => {
  files = await FilesApp.start(partner);
  // These tests look at all contents that are stored here.
  await files.get(RuntimeSettings).set('files', 'partner_cache_megabytes', '0');
});
afterAll(() => files.stop());
beforeEach(async () => {
  run++;
  [brian, carol, there] = [`brian${run}`, `carol${run}`, `share-${run}`];
  await files.addUsers(brian, carol);
  partner.set(there, '/f.txt', 'of alice');
  partner.set(there, '/sub', null);
  partner.set(there, '/sub/deep.txt', 'deep down');
  shareId = await files.receive({ providerId: there, recipient: brian, target: '/There' });
});
afterEach(() => {
  partner.permissions = null;
  partner.fail(undefined);
  for (const operation of ['probe', 'read', 'write', 'move', 'remove', 'makeFolder'] as const)
    partner.fail(undefined, operation);
  partner.breakOffAfter(undefined);
});

const query = <T>(sql: string, ...values: unknown[]): Promise<T[]> =>
  files.database.dataSource.query<T[]>(sql, values);
const status = async (reply: Promise<Response>): Promise<number> => (await reply).status;
const put = (path: string, body = 'x', headers: Record<string, string> = {}): Promise<number> =>
  status(files.dav('PUT', brian, path, { body, headers }));
const move = (from: string, to: string, overwrite = 'F'): Promise<number> =>
  status(files.transfer('MOVE', brian, from, to, { overwrite }));
const copy = (from: string, to: string): Promise<number> => status(files.transfer('COPY', brian, from, to));
const text = async (path: string): Promise<string> => (await files.dav('GET', brian, path)).text();

async function listed(path: string): Promise<string[]> {
  const reply = await files.dav('PROPFIND', brian, path, { headers: { depth: '1' } });
  if (reply.status !== 207) return [`HTTP ${reply.status}`];
  return [...(await reply.text()).matchAll(/<d:href>(.*?)<\/d:href>/g)].map((match) =>
    decodeURIComponent(match[1]!.slice('/remote.php/webdav'.length)),
  );
}

describe('in a share from a partner', () => {
  it('a file is written, overwritten and removed at the partner', async () => {
    expect(await put('/There/sub/new.txt', 'one')).toBe(201);
    expect(partner.content(there, '/sub/new.txt')).toBe('one');
    expect(await put('/There/sub/new.txt', 'two')).toBe(204);
    expect(await text('/There/sub/new.txt')).toBe('two');
    expect(await listed('/There/sub')).toEqual(['/There/sub/', '/There/sub/deep.txt', '/There/sub/new.txt']);
    expect(await status(files.dav('DELETE', brian, '/There/sub/new.txt'))).toBe(204);
    expect(partner.content(there, '/sub/new.txt')).toBeUndefined();
    expect(await listed('/There/sub')).toEqual(['/There/sub/', '/There/sub/deep.txt']);
    expect(files.storedFiles()).toEqual([]);
  });

  it('a new file that others made while it was on its way is overwritten, and counts as made once', async () => {
    partner.arriveBeforeWrite(there, '/sub/same.txt', 'of alice');
    expect(await put('/There/sub/same.txt', 'of brian')).toBe(204);
    expect(partner.content(there, '/sub/same.txt')).toBe('of brian');
  });

  it('folders are made, but only in an existing folder', async () => {
    expect(await status(files.dav('MKCOL', brian, '/There/sub/made'))).toBe(201);
    expect(partner.paths(there)).toContain('/sub/made');
    expect(await status(files.dav('MKCOL', brian, '/There/sub/made'))).toBe(405);
    expect(await status(files.dav('MKCOL', brian, '/There/none/made'))).toBe(409);
    expect(await put('/There/none/f.txt')).toBe(409);
    expect(await put('/There/sub')).toBe(409);
  });

  it('conditions are checked against the partner’s current state', async () => {
    const etag = (await files.dav('HEAD', brian, '/There/f.txt')).headers.get('etag')!;
    partner.set(there, '/f.txt', 'changed by alice');
    expect(await put('/There/f.txt', 'mine', { 'if-match': etag })).toBe(412);
    expect(await put('/There/f.txt', 'mine', { 'if-none-match': '*' })).toBe(412);
    const now = (await files.dav('HEAD', brian, '/There/f.txt')).headers.get('etag')!;
    expect(await put('/There/f.txt', 'mine', { 'if-match': now })).toBe(204);
    expect(partner.content(there, '/f.txt')).toBe('mine');
  });

  it('content that differs from its announcement does not remain at the partner', async () => {
    const headers = { 'oc-checksum': `SHA1:${'0'.repeat(40)}` };
    expect(await put('/There/wrong.txt', 'not that', headers)).toBe(400);
    expect(partner.content(there, '/wrong.txt')).toBeUndefined();
  });

  const known = (permissions: number) =>
    query('UPDATE received_share SET permissions = $2 WHERE id = $1', shareId, permissions);
  const probesOfRoot = (): number => partner.calls.filter((call) => call === `probe ${there}  0`).length;

  it.each([
    ['PUT of a new file', 201, () => put('/There/new.txt')],
    ['PUT', 204, () => put('/There/f.txt')],
    ['MKCOL', 201, () => status(files.dav('MKCOL', brian, '/There/made'))],
    ['DELETE', 204, () => status(files.dav('DELETE', brian, '/There/f.txt'))],
    ['MOVE', 201, () => move('/There/f.txt', '/There/sub/f.txt')],
    ['COPY', 201, () => copy('/There/f.txt', '/There/sub/f.txt')],
  ])('permissions that the partner raised apply to the next %s', async (_, expected, request) => {
    await known(1);
    partner.permissions = 15;
    expect(await request()).toBe(expected);
  });

  it('a forbidden write is refused, and the partner is asked at most once a second', async () => {
    await known(1);
    partner.permissions = 1;
    const before = probesOfRoot();
    const answers = [put('/There/f.txt'), put('/There/new.txt'), move('/There/f.txt', '/There/sub/f.txt')];
    expect(await Promise.all(answers)).toEqual([403, 403, 403]);
    expect(probesOfRoot() - before).toBeLessThanOrEqual(2);
    expect(partner.content(there, '/f.txt')).toBe('of alice');
  });

  it('the time of a file is passed on', async () => {
    const reply = await files.dav('PUT', brian, '/There/old.txt', {
      body: 'x',
      headers: { 'x-oc-mtime': '1000000000' },
    });
    expect(reply.headers.get('x-oc-mtime')).toBe('accepted');
    expect(await files.property(brian, '/There/old.txt', 'd:getlastmodified')).toBe(
      'Sun, 09 Sep 2001 01:46:40 GMT',
    );
  });

  it('entries are renamed by the partner and keep their ids', async () => {
    const id = await files.property(brian, '/There/sub/deep.txt', 'oc:fileid');
    partner.calls.length = 0;
    expect(await move('/There/sub', '/There/moved')).toBe(201);
    expect(partner.calls.filter((call) => call.startsWith('move'))).toEqual([`move ${there} /sub /moved`]);
    expect(await files.property(brian, '/There/moved/deep.txt', 'oc:fileid')).toBe(id);
    expect(await text('/There/moved/deep.txt')).toBe('deep down');
    expect(await move('/There/f.txt', '/There/moved/deep.txt')).toBe(412);
    expect(await move('/There/f.txt', '/There/moved/deep.txt', 'T')).toBe(204);
    expect(await listed('/There')).toEqual(['/There/', '/There/moved/']);
    expect(await text('/There/moved/deep.txt')).toBe('of alice');
  });

  it('a file that moves into or out of a received share is copied there and removed here', async () => {
    await files.dav('MKCOL', brian, '/mine');
    await files.dav('MKCOL', brian, '/mine/inner');
    await put('/mine/a.txt', 'a of mine');
    await put('/mine/inner/b.txt', 'b of mine');
    expect(await move('/mine', '/There/mine')).toBe(201);
    expect(partner.content(there, '/mine/inner/b.txt')).toBe('b of mine');
    expect(await listed('/')).toEqual(['/', '/There/']);
    expect(await files.database.dataSource.query('SELECT name FROM trashed_node')).toEqual([
      { name: 'mine' },
    ]);
    expect(await move('/There/mine/inner', '/back')).toBe(201);
    expect(await text('/back/b.txt')).toBe('b of mine');
    expect(partner.paths(there)).toEqual(['/f.txt', '/mine', '/mine/a.txt', '/sub', '/sub/deep.txt']);
  });

  it('files and folders are copied and moved to another received share', async () => {
    await files.receive({ providerId: `${there}-b`, recipient: brian, target: '/Elsewhere' });
    expect(await copy('/There/sub', '/Elsewhere/sub')).toBe(201);
    expect(partner.content(`${there}-b`, '/sub/deep.txt')).toBe('deep down');
    expect(await move('/There/f.txt', '/Elsewhere/f.txt')).toBe(201);
    expect(partner.paths(there)).toEqual(['/sub', '/sub/deep.txt']);
    expect(await copy('/There', '/copy of all')).toBe(201);
    expect(await text('/copy of all/sub/deep.txt')).toBe('deep down');
    expect(await copy('/There/sub', '/There/sub/in itself')).toBe(409);
  });

  it('a folder is moved out completely or not at all, even if its listing was outdated', async () => {
    await listed('/There/sub');
    partner.set(there, '/sub/unseen.txt', 'not seen yet');
    expect(await move('/There/sub', '/mine')).toBe(201);
    expect(await listed('/mine')).toEqual(['/mine/', '/mine/deep.txt', '/mine/unseen.txt']);
    partner.set(there, '/other', null);
    partner.set(there, '/other/kept.txt', 'kept');
    await listed('/There/other');
    partner.fail('unreachable', 'read');
    expect(await move('/There/other', '/lost')).toBe(503);
    expect(partner.content(there, '/other/kept.txt')).toBe('kept');
    expect(await listed('/')).toEqual(['/', '/There/', '/mine/']);
  });

  it.each([
    ['ends', (id: number) => query('DELETE FROM share WHERE id = $1', id), 409],
    ['becomes view-only', (id: number) => files.setAttributes(id, VIEW_ONLY), 403],
  ])(
    'a folder of another share is not copied on when that share %s during the copy',
    async (_, change, answer) => {
      await files.dav('MKCOL', carol, '/src');
      for (const name of ['one', 'two']) await files.dav('PUT', carol, `/src/${name}`, { body: name });
      const id = await files.share({ path: '/src', owner: carol, recipient: brian });
      await listed('/');
      const release = partner.holdNext('write');
      const copied = copy('/src', '/There/copy');
      await eventually('the first file is sent', () => partner.calls.includes(`write ${there} /copy/one`));
      await change(id);
      release();
      expect(await copied).toBe(answer);
      expect(partner.calls).not.toContain(`write ${there} /copy/two`);
      expect(partner.paths(there)).toEqual(['/f.txt', '/sub', '/sub/deep.txt']);
    },
  );

  it('nothing is changed without permission', async () => {
    await query('UPDATE received_share SET permissions = 1 WHERE id = $1', shareId);
    await put('/own.txt');
    expect(await put('/There/new.txt')).toBe(403);
    expect(await put('/There/f.txt')).toBe(403);
    expect(await status(files.dav('MKCOL', brian, '/There/new'))).toBe(403);
    expect(await status(files.dav('DELETE', brian, '/There/f.txt'))).toBe(403);
    expect(await move('/There/f.txt', '/taken.txt')).toBe(403);
    expect(await move('/There/f.txt', '/There/renamed.txt')).toBe(403);
    expect(await move('/own.txt', '/There/own.txt')).toBe(403);
    expect(await copy('/There/f.txt', '/taken.txt')).toBe(201);
    expect(partner.paths(there)).toEqual(['/f.txt', '/sub', '/sub/deep.txt']);
  });

  it.each([
    ['not-understood', 503],
    ['denied', 503],
    ['forbidden', 403],
    ['locked', 423],
    ['no-space', 507],
    ['precondition-failed', 412],
  ] as const)('an answer "%s" of the partner becomes %i', async (code, expected) => {
    await listed('/There');
    partner.fail(code, 'write');
    expect(await put('/There/f.txt', 'mine')).toBe(expected);
    partner.fail(undefined, 'write');
    expect(await text('/There/f.txt')).toBe('of alice');
  });

  it('an interrupted upload leaves nothing, and an interrupted move keeps its source', async () => {
    await put('/own.txt', 'y'.repeat(100_000));
    await files.get(RuntimeSettings).set('files', 'store_partner_writes', 'no');
    partner.breakOffAfter(10);
    expect(await put('/There/new.txt', 'x'.repeat(100_000))).toBe(503);
    expect(await move('/own.txt', '/There/own.txt')).toBe(503);
    expect(await move('/There/sub', '/sub')).toBe(503);
    partner.breakOffAfter(undefined);
    await files.get(RuntimeSettings).set('files', 'store_partner_writes', 'yes');
    expect(await listed('/')).toEqual(['/', '/There/', '/own.txt']);
    expect(partner.paths(there)).toEqual(['/f.txt', '/sub', '/sub/deep.txt']);
  });

  it('a partner that does not answer is distinguished from a missing file', async () => {
    partner.fail('unreachable');
    await files.get(RuntimeSettings).set('files', 'store_partner_writes', 'no');
    expect(await put('/There/new.txt')).toBe(503);
    await files.get(RuntimeSettings).set('files', 'store_partner_writes', 'yes');
    expect(await status(files.dav('DELETE', brian, '/There/f.txt'))).toBe(503);
    expect(await status(files.dav('MKCOL', brian, '/There/new'))).toBe(503);
    expect(await move('/There/f.txt', '/f.txt')).toBe(503);
    expect(await put('/mine.txt')).toBe(201);
  });
});

describe('reshares of a share from a partner', () => {
  const byLink = async (
    token: string,
    method: string,
    path: string,
    options: { body?: string; headers?: Record<string, string> } = {},
  ): Promise<Response> =>
    fetch(`${files.url}/public.php/webdav${path}`, {
      method,
      body: options.body,
      headers: {
        authorization: basicAuth(token, ''),
        'x-requested-with': 'XMLHttpRequest',
        ...options.headers,
      },
    });

  it('is read and written by a link', async () => {
    await listed('/There/sub');
    const { token } = await files.link({ owner: brian, path: '/sub', permissions: 15 });
    expect(await (await byLink(token, 'GET', '/deep.txt')).text()).toBe('deep down');
    expect(await status(byLink(token, 'PUT', '/up.txt', { body: 'one' }))).toBe(201);
    const headers = { 'oc-autorename': '1' };
    expect(await status(byLink(token, 'PUT', '/up.txt', { body: 'two', headers }))).toBe(201);
    expect(partner.paths(there)).toEqual([
      '/f.txt',
      '/sub',
      '/sub/deep.txt',
      '/sub/up (2).txt',
      '/sub/up.txt',
    ]);
    expect(await status(byLink(token, 'DELETE', '/up.txt'))).toBe(204);
    expect(await status(byLink(token, 'DELETE', ''))).toBe(403);
    expect(partner.content(there, '/sub/up (2).txt')).toBe('two');
  });

  it('accepts files with their folders by an upload-only link', async () => {
    await listed('/There/sub');
    const { token } = await files.link({ owner: brian, path: '/sub', permissions: 4 });
    const drop = (path: string) => status(byLink(token, 'PUT', path, { body: 'x' }));
    expect([await drop('/a/b/up.txt'), await drop('/a/b/up.txt'), await drop('/deep.txt')]).toEqual([
      201, 201, 201,
    ]);
    const made = ['/sub/a', '/sub/a/b', '/sub/a/b/up (2).txt', '/sub/a/b/up.txt', '/sub/deep (2).txt'];
    expect(partner.paths(there)).toEqual(expect.arrayContaining(made));
    expect(partner.content(there, '/sub/deep.txt')).toBe('deep down');
    expect(await status(byLink(token, 'MKCOL', '/c'))).toBe(201);
    expect(partner.paths(there)).not.toContain('/sub/c');
  });

  it('keeps files that come at the same time in a new folder, by an upload-only link', async () => {
    await listed('/There/sub');
    const { token } = await files.link({ owner: brian, path: '/sub', permissions: 4 });
    const names = ['one', 'two', 'three', 'four'];
    const sent = names.map((name) => status(byLink(token, 'PUT', `/new/deep/${name}`, { body: name })));
    expect(await Promise.all(sent)).toEqual([201, 201, 201, 201]);
    expect(names.map((name) => partner.content(there, `/sub/new/deep/${name}`))).toEqual(names);
  });

  it('tells senders of an upload-only link nothing about files that have the names of their folders', async () => {
    await listed('/There/sub');
    const { token } = await files.link({ owner: brian, path: '/sub', permissions: 4 });
    const sent = byLink(token, 'PUT', '/deep.txt/inner/up.txt', { body: 'below a file' });
    expect(await status(sent)).toBe(201);
    expect(partner.content(there, '/sub/deep.txt (2)/inner/up.txt')).toBe('below a file');
    expect(partner.content(there, '/sub/deep.txt')).toBe('deep down');
  });

  it('is written by the local recipient of a reshare, and ends with it', async () => {
    await listed('/There/sub');
    await query(
      `INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions, file_target)
       SELECT 1, id, $1, $1, 'g', 'g', 31, '/Passed on' FROM node WHERE owner_uid = $1 AND path = '/sub'`,
      brian,
    );
    await files.addGroup('g', carol);
    const put = files.dav('PUT', carol, '/Passed on/new.txt', { body: 'of carol' });
    expect(await status(put)).toBe(201);
    expect(partner.content(there, '/sub/new.txt')).toBe('of carol');
    await files.dav('DELETE', brian, '/There');
    expect(await status(files.dav('GET', carol, '/Passed on/new.txt'))).toBe(404);
  });
});

describe('a link of a recipient to a file of a partner that moves out of the folder that was shared with them', () => {
  const byLink = async (token: string): Promise<number> =>
    status(fetch(`${files.url}/remote.php/dav/public-files/${token}/deep.txt`));

  /** Brian shares /sub with Carol, who shares the file in it by a link. Then Brian takes the file out of the folder. */
  async function moveOut(attributes: string | null): Promise<{ readonly token: string }> {
    await listed('/There/sub');
    const shared = await files.share({ path: '/sub', owner: brian, recipient: carol });
    await files.dav('PROPFIND', carol, '/');
    const link = await files.link({ path: '/sub/deep.txt', owner: brian, initiator: carol });
    await files.setAttributes(shared, attributes);
    expect(await byLink(link.token)).toBe(attributes === null ? 200 : 403);
    expect(await move('/There/sub/deep.txt', '/There/deep.txt')).toBe(201);
    return link;
  }

  it('keeps the conditions of that share', async () => {
    const { token } = await moveOut(VIEW_ONLY);
    expect(await byLink(token)).toBe(403);
  });

  it('goes on', async () => {
    expect(await byLink((await moveOut(null)).token)).toBe(200);
  });

  it('ends if reshares follow', async () => {
    await files.get(RuntimeSettings).set('files_sharing', 'reshares_without_access', 'follow');
    try {
      expect(await byLink((await moveOut(null)).token)).toBe(404);
    } finally {
      await files.get(RuntimeSettings).unset('files_sharing', 'reshares_without_access');
    }
  });
});

describe('the place of a share from a partner', () => {
  const messages = (): Promise<{ kind: string }[]> =>
    query(
      `SELECT kind FROM outbox_message WHERE subject_type = 'received-share' AND subject_id = $1`,
      shareId,
    );

  it('is changed by renaming it, alone and with its folder', async () => {
    partner.calls.length = 0;
    await files.dav('MKCOL', brian, '/folder');
    expect(await move('/There', '/folder/Renamed')).toBe(201);
    expect(await move('/folder', '/other')).toBe(201);
    expect(await listed('/other')).toEqual(['/other/', '/other/Renamed/']);
    expect(partner.calls).toEqual([]);
    expect(await text('/other/Renamed/f.txt')).toBe('of alice');
    expect(await query('SELECT file_target FROM received_share WHERE id = $1', shareId)).toEqual([
      { file_target: '/other/Renamed' },
    ]);
  });

  it('cannot be taken by another entry', async () => {
    await files.dav('PUT', carol, '/There', { body: 'of carol' });
    await files.share({ path: '/There', owner: carol, recipient: brian });
    expect(await listed('/')).toEqual(['/', '/There/', '/There (2)']);
    expect(await status(files.dav('MKCOL', brian, '/There'))).toBe(405);
  });

  it('is removed with the share, and the partner gets a message', async () => {
    expect(await status(files.dav('DELETE', brian, '/There'))).toBe(204);
    expect(await listed('/')).toEqual(['/']);
    expect(await query('SELECT state, file_target FROM received_share WHERE id = $1', shareId)).toEqual([
      { state: 'declined', file_target: null },
    ]);
    expect(await messages()).toEqual([{ kind: 'received-decline' }]);
    expect(partner.paths(there)).toHaveLength(3);
  });

  it('is removed with its folder', async () => {
    await files.dav('MKCOL', brian, '/folder');
    await move('/There', '/folder/There');
    expect(await status(files.dav('DELETE', brian, '/folder'))).toBe(204);
    expect(await messages()).toEqual([{ kind: 'received-decline' }]);
  });

  it('cannot be inside of another received share', async () => {
    await files.receive({ providerId: `${there}-b`, recipient: brian, target: '/Elsewhere' });
    expect(await move('/Elsewhere', '/There/Elsewhere')).toBe(403);
    await files.dav('MKCOL', brian, '/folder');
    expect(await move('/Elsewhere', '/folder/Elsewhere')).toBe(201);
    expect(await move('/folder', '/There/folder')).toBe(403);
    expect(await move('/There/f.txt', '/folder/Elsewhere', 'T')).toBe(409);
  });
});
