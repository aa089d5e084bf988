import { connect } from 'node:net';
import { unpack } from '../../../libs/testing/src/rigs/unpacking';
import { FakeRemoteFiles } from '../../../libs/testing/src/fakes/fake-remote-files';
import { FilesApp } from '../../../libs/testing/src/rigs/files-app';
import { eventually } from '../../../libs/testing/src/waiting';
import { itInFullForm } from '../../../libs/testing/src/full-form';

const VIEW_ONLY = JSON.stringify([{ scope: 'permissions', key: 'download', enabled: false }]);
const MANY_BYTES = 20_000_000;

let files: FilesApp;
const partner = new FakeRemoteFiles();
let run = 0;
let [alice, brian] = ['', ''];

beforeAll(async () => {
  files = await FilesApp.start(partner);
});
afterAll(() => files.stop());
afterEach(() => {
  partner.fail(undefined);
  partner.fail(undefined, 'read');
  partner.breakOffAfter(undefined);
});
beforeEach(async () => {
  run++;
  [alice, brian] = [`alice${run}`, `brian${run}`];
  await files.addUsers(alice, brian);
  await files.dav('MKCOL', alice, '/größe');
  await files.dav('MKCOL', alice, '/größe/empty');
  await files.dav('MKCOL', alice, '/größe/日本');
  await put('/größe/a.txt', 'of alice');
  await put('/größe/日本/🙂.txt', 'deep');
  await put('/größe/none', '');
});

const put = (path: string, body: string): Promise<Response> =>
  files.dav('PUT', alice, path, { body, headers: { 'x-oc-mtime': '1000000000' } });
const zip = { accept: 'application/zip' };
const bytes = async (reply: Response): Promise<Buffer> => Buffer.from(await reply.arrayBuffer());
const download = (uid: string, query: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${files.url}/index.php/apps/files/ajax/download.php?${query}`, {
    headers: { authorization: files.authorizationOf(uid), ...headers },
  });

const WHOLE = {
  'größe/': '',
  'größe/a.txt': 'of alice',
  'größe/empty/': '',
  'größe/none': '',
  'größe/日本/': '',
  'größe/日本/🙂.txt': 'deep',
};

describe('a folder as an archive over WebDAV', () => {
  it.each([
    ['zip', { accept: 'application/zip' }, ''],
    ['zip', {}, '?accept=zip'],
    ['tar', { accept: 'application/x-tar' }, ''],
    ['tar', { accept: 'application/zip' }, '?accept=tar'],
  ] as const)('has the format %s on request by %j %s', async (format, headers, query) => {
    const reply = await fetch(files.addressOf('/größe') + query, {
      headers: { authorization: files.authorizationOf(alice), ...headers },
    });
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toBe(
      format === 'zip' ? 'application/zip' : 'application/x-tar',
    );
    expect(reply.headers.get('content-disposition')).toContain(`filename*=UTF-8''gr%C3%B6%C3%9Fe.${format}`);
    expect(reply.headers.get('content-security-policy')).toContain('sandbox');
    expect(await unpack(await bytes(reply), format)).toEqual(WHOLE);
  });

  it('has only the chosen entries', async () => {
    const asked = `${files.addressOf('/größe')}?accept=zip&files=`;
    const headers = { authorization: files.authorizationOf(alice) };
    const chosen = await fetch(asked + encodeURIComponent(JSON.stringify(['日本', 'a.txt', 'a.txt'])), {
      headers,
    });
    expect(await unpack(await bytes(chosen), 'zip')).toEqual({
      '日本/': '',
      '日本/🙂.txt': 'deep',
      'a.txt': 'of alice',
    });
    expect((await fetch(`${asked}["gone.txt"]`, { headers })).status).toBe(404);
    expect((await fetch(`${asked}["..","a.txt"]`, { headers })).status).toBe(400);
    expect((await fetch(`${asked}[1]`, { headers })).status).toBe(400);
    const byHeader = await files.dav('GET', alice, '/größe', { headers: { ...zip, 'x-nc-files': 'a.txt' } });
    expect(await unpack(await bytes(byHeader), 'zip')).toEqual({ 'a.txt': 'of alice' });
  });

  it('is not sent without a request for one, and leaves files as they are', async () => {
    expect((await files.dav('GET', alice, '/größe')).status).toBe(405);
    const file = await files.dav('GET', alice, '/größe/a.txt', { headers: zip });
    expect(await file.text()).toBe('of alice');
  });

  it('has no top folder if it contains the whole tree, and includes received shares', async () => {
    await files.share({ path: '/größe', owner: alice, recipient: brian, permissions: 1 });
    const reply = await files.dav('GET', brian, '/', { headers: zip });
    expect(reply.headers.get('content-disposition')).toContain('download.zip');
    expect(await unpack(await bytes(reply), 'zip')).toEqual(WHOLE);
  });

  it('keeps the times of files', async () => {
    const archive = await bytes(await files.dav('GET', alice, '/größe', { headers: zip }));
    const central = archive.lastIndexOf('größe/a.txt');
    // Extended timestamp behind the name, in seconds.
    expect(archive.readInt32LE(central + Buffer.byteLength('größe/a.txt') + 5)).toBe(1_000_000_000);
  });
});

describe('an archive of shares without the permission to download', () => {
  it('is refused, and its files are left out of a larger archive', async () => {
    const id = await files.share({ path: '/größe', owner: alice, recipient: brian, permissions: 1 });
    await files.setAttributes(id, VIEW_ONLY);
    await files.dav('PUT', brian, '/own.txt', { body: 'of brian' });
    const own = await files.dav('GET', brian, '/größe', { headers: zip });
    expect([own.status, await own.text()]).toEqual([403, expect.stringContaining('view-only')]);
    const chosen = `${files.addressOf('/')}?accept=zip&files=${encodeURIComponent('["größe"]')}`;
    const headers = { authorization: files.authorizationOf(brian) };
    expect((await fetch(chosen, { headers })).status).toBe(403);
    expect((await download(brian, `dir=/&files=${encodeURIComponent('größe')}`)).status).toBe(403);
    const around = await files.dav('GET', brian, '/', { headers: zip });
    expect(await unpack(await bytes(around), 'zip')).toEqual({ 'own.txt': 'of brian' });
  });

  it('ends a running archive through a link when its share ends', async () => {
    for (const name of ['b.bin', 'c.bin']) await put(`/größe/${name}`, 'x'.repeat(MANY_BYTES));
    const { id, token } = await files.link({ path: '/größe', owner: alice });
    const socket = connect(Number(new URL(files.url).port), '127.0.0.1');
    socket.write(`GET /s/${token}/download HTTP/1.1\r\nHost: x\r\n\r\n`);
    await eventually(
      'the archive begins',
      () => new Promise((resolve) => socket.once('readable', () => resolve(true))),
    );
    await files.database.dataSource.query('DELETE FROM share WHERE id = $1', [id]);
    let [read, end] = [0, ''];
    socket.on('error', () => undefined);
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      read += chunk.length;
      end = (end + chunk.toString('latin1')).slice(-5);
    }
    expect(read).toBeLessThan(2 * MANY_BYTES);
    // A complete reply ends with this chunk.
    expect(end).not.toBe('0\r\n\r\n');
  });
});

describe('download.php', () => {
  it('sends a folder, chosen entries, and a single file unchanged', async () => {
    const folder = encodeURIComponent('größe');
    expect(await unpack(await bytes(await download(alice, `dir=/&files=${folder}`)), 'zip')).toEqual(WHOLE);
    expect(await unpack(await bytes(await download(alice, `dir=/${folder}`)), 'zip')).toEqual(WHOLE);
    const two = await download(alice, `dir=/${folder}&files[]=a.txt&files[]=none`);
    expect(await unpack(await bytes(two), 'zip')).toEqual({ 'a.txt': 'of alice', none: '' });
    const one = await download(alice, `dir=/${folder}&files=a.txt&downloadStartSecret=abc1`, {
      range: 'bytes=0-1',
    });
    expect([one.status, await one.text()]).toEqual([206, 'of']);
    expect(one.headers.get('set-cookie')).toContain('ocDownloadStarted=abc1');
  });

  it('answers HEAD without a body', async () => {
    for (const query of [
      `dir=/${encodeURIComponent('größe')}`,
      `dir=/${encodeURIComponent('größe')}&files=a.txt`,
    ]) {
      const head = await fetch(`${files.url}/index.php/apps/files/ajax/download.php?${query}`, {
        method: 'HEAD',
        headers: { authorization: files.authorizationOf(alice) },
      });
      expect([head.status, await head.text()]).toEqual([200, '']);
      expect(head.headers.get('content-disposition')).toContain('attachment');
    }
  });

  it('takes a choice from a form that is longer than an address may be', async () => {
    const names = ['a.txt', 'none', ...Array.from({ length: 200 }, () => 'n'.repeat(200))];
    const choose = (chosen: readonly string[]): Promise<Response> =>
      fetch(`${files.url}/index.php/apps/files/ajax/download.php?dir=/${encodeURIComponent('größe')}`, {
        method: 'POST',
        headers: { authorization: files.authorizationOf(alice) },
        body: new URLSearchParams(chosen.map((name): [string, string] => ['files[]', name])),
      });
    const two = await unpack(await bytes(await choose(names.slice(0, 2))), 'zip');
    expect(two).toEqual({ 'a.txt': 'of alice', none: '' });
    expect(await (await choose(['a.txt'])).text()).toBe('of alice');
    expect((await choose(names)).status).toBe(404);
    expect((await choose(Array.from({ length: 6000 }, () => 'n'.repeat(200)))).status).toBe(413);
  });

  it('is for signed-in users, and finds nothing outside of their own tree', async () => {
    const folder = encodeURIComponent('größe');
    const stranger = await fetch(`${files.url}/index.php/apps/files/ajax/download.php?dir=/`);
    expect(stranger.status).toBe(401);
    expect((await download(brian, `dir=/&files=${folder}`)).status).toBe(404);
    expect(
      (await download(alice, `dir=/${folder}&files=a.txt&downloadStartSecret=a;b`)).headers.get('set-cookie'),
    ).toBeNull();
    expect((await download(alice, `dir=/${folder}&files=a.txt`, { range: 'bytes=99-' })).status).toBe(416);
  });
});

describe('a public link', () => {
  itInFullForm('takes a choice from the form of its page that is longer than an address may be', async () => {
    await files.dav('MKCOL', alice, '/many');
    const names = Array.from(
      { length: 40 },
      (_, at) => `${String(at).padStart(2, '0')}${'n'.repeat(240)}.txt`,
    );
    for (const name of names) await put(`/many/${name}`, 'x');
    const { token } = await files.link({ path: '/many', owner: alice });
    const action = /<form method="post" action="(.*?)"/.exec(
      await (await fetch(`${files.url}/s/${token}`)).text(),
    )![1]!;
    const choose = (chosen: readonly string[]): Promise<Response> => {
      const body = new URLSearchParams(chosen.map((name): [string, string] => ['files[]', name]));
      return fetch(files.url + action, { method: 'POST', body });
    };
    const chosen = names.slice(1);
    const unpacked = await unpack(await bytes(await choose(chosen)), 'zip');
    expect(Object.keys(unpacked).sort()).toEqual(chosen);
    expect(await (await choose(names.slice(0, 1))).text()).toBe('x');
    const whole = await unpack(await bytes(await choose([])), 'zip');
    expect(Object.keys(whole)).toHaveLength(names.length + 1);
    expect((await choose(['none'])).status).toBe(404);
  });

  it('gives its folder as an archive, and also a folder or file below it', async () => {
    const { token } = await files.link({ path: '/größe', owner: alice });
    const address = `${files.url}/index.php/s/${token}/download`;
    expect(await unpack(await bytes(await fetch(address)), 'zip')).toEqual(WHOLE);
    const below = await fetch(`${address}?path=/&files=${encodeURIComponent('日本')}`);
    expect(await unpack(await bytes(below), 'zip')).toEqual({ '日本/': '', '日本/🙂.txt': 'deep' });
    expect(await (await fetch(`${address}?path=/&files=a.txt`)).text()).toBe('of alice');
    expect(await (await fetch(`${files.url}/s/${token}`)).text()).toContain(`/s/${token}/download`);
    const byDav = await fetch(`${files.url}/remote.php/dav/public-files/${token}/`, { headers: zip });
    expect(await unpack(await bytes(byDav), 'zip')).toEqual(WHOLE);
  });

  it('gives no archive without its password, in view-only mode, or if it only accepts uploads', async () => {
    const locked = await files.link({ path: '/größe', owner: alice, password: 'of-the-link' });
    const asked = await fetch(`${files.url}/s/${locked.token}/download`);
    expect(asked.headers.get('content-type')).toContain('text/html');
    const viewed = await files.link({ path: '/größe', owner: alice });
    await files.setAttributes(viewed.id, VIEW_ONLY);
    expect((await fetch(`${files.url}/s/${viewed.token}/download`)).status).toBe(403);
    const drop = await files.link({ path: '/größe', owner: alice, permissions: 4 });
    const dropped = await fetch(`${files.url}/s/${drop.token}/download`);
    expect(dropped.headers.get('content-type')).toContain('text/html');
    const byDav = await fetch(`${files.url}/remote.php/dav/public-files/${drop.token}/`, { headers: zip });
    expect(byDav.status).toBe(404);
  });
});

describe('an archive with content of a partner', () => {
  beforeEach(async () => {
    partner.set(`of-${run}`, '/sub', null);
    partner.set(`of-${run}`, '/sub/there.txt', 'of a partner');
    await files.receive({ providerId: `of-${run}`, recipient: brian, target: '/Mount' });
    await files.dav('PUT', brian, '/before.txt', { body: 'here' });
  });

  it('includes it', async () => {
    const reply = await files.dav('GET', brian, '/', { headers: zip });
    expect(await unpack(await bytes(reply), 'zip')).toEqual({
      'Mount/': '',
      'Mount/sub/': '',
      'Mount/sub/there.txt': 'of a partner',
      'before.txt': 'here',
    });
  });

  it('has no name that leads out of the target folder', async () => {
    partner.set(`of-${run}`, '/sub/..\\..\\evil.txt', 'x');
    const reply = await files.dav('GET', brian, '/Mount', { headers: zip });
    expect(Object.keys(await unpack(await bytes(reply), 'zip'))).toContain('Mount/sub/.._.._evil.txt');
  });

  it('is refused, or ends early, if the partner is unreachable', async () => {
    await bytes(await files.dav('GET', brian, '/', { headers: zip }));
    partner.fail('unreachable', 'read');
    const reply = await files.dav('GET', brian, '/', { headers: zip });
    expect(reply.status).toBe(200);
    await expect(bytes(reply)).rejects.toThrow();
    partner.fail('denied');
    partner.set(`of-${run}`, '/new', null);
    expect((await files.dav('GET', brian, '/Mount/new', { headers: zip })).status).toBe(503);
  });

  it('ends early if the partner sends less than it announced', async () => {
    partner.breakOffAfter(3);
    await expect(files.dav('GET', brian, '/Mount', { headers: zip }).then(bytes)).rejects.toThrow();
  });
});

describe('a running archive with files of a partner, through a share of the partner’s recipient,', () => {
  const there = (): string => `through-${run}`;

  beforeEach(async () => {
    partner.set(there(), '/sub', null);
    for (const name of ['one', 'two']) partner.set(there(), `/sub/${name}`, name);
    await files.receive({ providerId: there(), recipient: alice, target: '/Mount' });
    await files.dav('PROPFIND', alice, '/Mount/sub', { headers: { depth: '1' } });
  });

  /** Begins an archive and changes something while its first file is read. */
  async function archiveDuring(begin: () => Promise<Response>, change: () => Promise<unknown>) {
    const release = partner.holdNext('read');
    const archive = begin().then(bytes);
    archive.catch(() => undefined);
    await eventually('the first file is read', () => partner.calls.includes(`read ${there()} /sub/one`));
    await change();
    release();
    return archive;
  }

  it('ends when that share ends', async () => {
    const { id, token } = await files.link({ path: '/sub', owner: alice });
    const archive = archiveDuring(
      () => fetch(`${files.url}/s/${token}/download`),
      () => files.database.dataSource.query('DELETE FROM share WHERE id = $1', [id]),
    );
    await expect(archive).rejects.toThrow();
    expect(partner.calls).not.toContain(`read ${there()} /sub/two`);
  });

  it('leaves the rest out when that share becomes view-only', async () => {
    const id = await files.share({ path: '/sub', owner: alice, recipient: brian });
    await files.dav('PROPFIND', brian, '/');
    const archive = await archiveDuring(
      () => files.dav('GET', brian, '/sub', { headers: zip }),
      () => files.setAttributes(id, VIEW_ONLY),
    );
    expect(await unpack(archive, 'zip')).toEqual({ 'sub/': '', 'sub/one': 'one' });
  });
});

describe('running archives', () => {
  const begin = (): { gone: () => void; status: Promise<string> } => {
    const socket = connect(Number(new URL(files.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    const path = `/remote.php/webdav/${encodeURIComponent('größe')}`;
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: x\r\nAccept: application/zip\r\nAuthorization: ${files.authorizationOf(alice)}\r\n\r\n`,
    );
    const status = new Promise<string>((resolve) =>
      socket.once('data', (chunk: Buffer) => {
        socket.pause();
        resolve(chunk.toString('latin1', 9, 12));
      }),
    );
    return { gone: () => socket.destroy(), status };
  };

  it('are limited to four for one account, and end when their clients leave', async () => {
    await put('/größe/large.bin', 'x'.repeat(MANY_BYTES));
    const four = [begin(), begin(), begin(), begin()];
    expect(await Promise.all(four.map(({ status }) => status))).toEqual(['200', '200', '200', '200']);
    const fifth = await files.dav('GET', alice, '/größe', { headers: zip });
    expect([fifth.status, fifth.headers.get('retry-after')]).toEqual([503, '30']);
    await files.dav('PUT', brian, '/other.txt', { body: 'of brian' });
    expect((await files.dav('GET', brian, '/', { headers: zip })).status).toBe(200);
    for (const { gone } of four) gone();
    await eventually('a place is given back', async () => {
      const next = begin();
      const status = await next.status;
      next.gone();
      return status === '200';
    });
  });
});
