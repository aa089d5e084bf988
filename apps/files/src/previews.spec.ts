import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import sharp from 'sharp';
import { RuntimeSettings } from '#settings';
import { basicAuth } from '../../../libs/testing/src/basic-auth';
import { FakeRemoteFiles } from '../../../libs/testing/src/fakes/fake-remote-files';
import { FilesApp } from '../../../libs/testing/src/rigs/files-app';

const VIEW_ONLY = JSON.stringify([{ scope: 'permissions', key: 'download', enabled: false }]);

let files: FilesApp;
const partner = new FakeRemoteFiles();
let run = 0;
let [alice, brian] = ['', ''];
let photo: Buffer;

beforeAll(async () => {
  files = await FilesApp.start(partner);
  photo = await picture(400, 200).jpeg().toBuffer();
});
afterAll(() => files.stop());
beforeEach(async () => {
  run++;
  [alice, brian] = [`alice${run}`, `brian${run}`];
  await files.addUsers(alice, brian);
  await put('/photo.jpg', photo);
  await put('/text.txt', 'some words of alice');
});

const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: 'red' } });
const put = (path: string, body: Buffer | string, uid = alice): Promise<Response> =>
  fetch(files.addressOf(path), {
    method: 'PUT',
    headers: { authorization: files.authorizationOf(uid) },
    body: Buffer.from(body),
  });
const ask = (path: string, query = 'x=32&y=32', uid = alice): Promise<Response> =>
  fetch(`${files.addressOf(path)}?preview=1&${query}`, {
    headers: { authorization: files.authorizationOf(uid) },
  });
const sizeOf = async (reply: Response): Promise<string> => {
  if (reply.status !== 200) return `HTTP ${reply.status}`;
  const { width, height, format } = await sharp(Buffer.from(await reply.arrayBuffer())).metadata();
  return `${width}x${height} ${format}`;
};
const set = (key: string, value: string): Promise<void> =>
  files.get(RuntimeSettings).set('system', key, value);

describe('a preview of a picture', () => {
  it.each([
    ['x=32&y=32', '32x32 jpeg'],
    ['x=32&y=12', '32x12 jpeg'],
    ['x=32&y=32&a=1', '32x16 jpeg'],
    ['x=800&y=800&a=1', '800x400 jpeg'],
    ['x=800&y=800&a=1&scalingup=0', '400x200 jpeg'],
    ['x=9999&y=32', '2048x32 jpeg'],
    ['', '32x32 jpeg'],
  ])('with %s is %s', async (query, expected) => {
    expect(await sizeOf(await ask('/photo.jpg', query))).toBe(expected);
  });

  it.each(['0', '0.5', '-1', 'false', 'A', '%2F', 'null'])('refuses %s pixels', async (pixels) => {
    const reply = await ask('/photo.jpg', `x=${pixels}&y=32`);
    expect([reply.status, await reply.text()]).toEqual([
      400,
      expect.stringContaining('Cannot set width of 0 or smaller!'),
    ]);
    expect(await (await ask('/photo.jpg', `x=32&y=${pixels}`)).text()).toContain('Cannot set height');
  });

  it('depends on the content, not the name, and supports PNG, GIF and WebP', async () => {
    await put('/renamed.txt', photo);
    expect(await sizeOf(await ask('/renamed.txt'))).toBe('32x32 jpeg');
    for (const format of ['png', 'gif', 'webp'] as const) {
      await put(`/a.${format}`, await picture(40, 40)[format]().toBuffer());
      expect(await sizeOf(await ask(`/a.${format}`))).toBe('32x32 png');
    }
  });

  it('cannot run in a browser, and is sent only once to a client that caches it', async () => {
    const reply = await ask('/photo.jpg');
    expect(reply.headers.get('content-security-policy')).toContain('sandbox');
    const etag = reply.headers.get('etag')!;
    const again = await fetch(`${files.addressOf('/photo.jpg')}?preview=1&x=32&y=32`, {
      headers: { authorization: files.authorizationOf(alice), 'if-none-match': etag },
    });
    expect(again.status).toBe(304);
    for (const name of ['cache-control', 'content-security-policy'])
      expect(again.headers.get(name)).toBe(reply.headers.get(name));
  });

  it('changes with its content, and stays after a rename', async () => {
    const before = (await ask('/photo.jpg')).headers.get('etag');
    await files.transfer('MOVE', alice, '/photo.jpg', '/moved.jpg');
    expect((await ask('/moved.jpg')).headers.get('etag')).toBe(before);
    await put('/moved.jpg', await picture(10, 10).jpeg().toBuffer());
    expect((await ask('/moved.jpg')).headers.get('etag')).not.toBe(before);
  });

  it('is stored in a separate directory, readable by its owner only', async () => {
    await ask('/photo.jpg', 'x=33&y=33');
    const directory = join(dirname(files.blobDirectory), 'previews');
    const kept = readdirSync(directory);
    expect(kept.some((name) => name.endsWith('.jpeg'))).toBe(true);
    for (const name of kept) expect(statSync(join(directory, name)).mode & 0o077).toBe(0);
  });
});

describe('a preview of a text', () => {
  it('shows its beginning, and changes with the text', async () => {
    const first = Buffer.from(await (await ask('/text.txt', 'x=64&y=48')).arrayBuffer());
    expect(await sharp(first).metadata()).toMatchObject({ width: 64, height: 48, format: 'png' });
    await put('/text.txt', '<b>other</b> मेरो पानी & more\n'.repeat(300));
    const second = Buffer.from(await (await ask('/text.txt', 'x=64&y=48')).arrayBuffer());
    expect(second.equals(first)).toBe(false);
  });
});

describe('files without a preview', () => {
  it.each([
    ['a folder', '/folder', undefined, 400],
    ['a PDF', '/a.pdf', '%PDF-1.4', 404],
    ['an SVG picture', '/a.svg', '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>', 404],
    ['a broken picture', '/a.png', '\u0089PNG broken', 404],
    ['an empty file', '/empty.txt', '', 404],
    ['nothing', '/gone.txt', undefined, 404],
  ])('are %s', async (_name, path, content, status) => {
    if (path === '/folder') await files.dav('MKCOL', alice, path);
    if (content !== undefined) await put(path, Buffer.from(content, 'latin1'));
    expect((await ask(path)).status).toBe(status);
    expect((await ask(path)).status).toBe(status);
  });

  it('include all files while previews are switched off', async () => {
    await set('enable_previews', 'no');
    expect((await ask('/photo.jpg')).status).toBe(404);
    await set('enable_previews', 'yes');
    await set('preview_max_x', '20');
    expect(await sizeOf(await ask('/photo.jpg'))).toBe('20x32 jpeg');
    await set('preview_max_x', '2048');
  });

  it('include pictures with too many pixels for the memory limit', async () => {
    const bomb = await sharp({ create: { width: 12_000, height: 12_000, channels: 3, background: 'red' } })
      .png({ compressionLevel: 9 })
      .toBuffer();
    expect(bomb.length).toBeLessThan(3_000_000);
    await put('/bomb.png', bomb);
    expect((await ask('/bomb.png')).status).toBe(404);
    expect(await sizeOf(await ask('/photo.jpg', 'x=31&y=31'))).toBe('31x31 jpeg');
  });
});

describe('readers of previews', () => {
  it('may download the file', async () => {
    await files.share({ path: '/photo.jpg', owner: alice, recipient: brian });
    expect(await sizeOf(await ask('/photo.jpg', undefined, brian))).toBe('32x32 jpeg');
    expect((await ask('/text.txt', undefined, brian)).status).toBe(404);
  });

  it('do not exist for a file in view-only mode, even if the preview exists', async () => {
    await ask('/photo.jpg');
    const id = await files.share({ path: '/photo.jpg', owner: alice, recipient: brian });
    await files.setAttributes(id, VIEW_ONLY);
    expect((await ask('/photo.jpg', undefined, brian)).status).toBe(403);
    const { id: linkId, token } = await files.link({ path: '/photo.jpg', owner: alice });
    await files.setAttributes(linkId, VIEW_ONLY);
    expect(
      (await fetch(`${files.url}/remote.php/dav/public-files/${token}/photo.jpg?preview=1`)).status,
    ).toBe(403);
    expect(
      (await fetch(`${files.url}/index.php/apps/files_sharing/publicpreview/${token}?file=`)).status,
    ).toBe(403);
    expect(await files.property(brian, '/photo.jpg', 'oc:has-preview')).toBe('false');
    expect(await files.property(alice, '/photo.jpg', 'oc:has-preview')).toBe('true');
    expect(await files.property(brian, '/photo.jpg', 'nc:has-preview')).toBe('false');
    expect(await files.property(alice, '/photo.jpg', 'nc:has-preview')).toBe('true');
  });

  it('include visitors of a link, with its password if it has one', async () => {
    const open = await files.link({ path: '/photo.jpg', owner: alice });
    const address = `${files.url}/index.php/apps/files_sharing`;
    expect(await sizeOf(await fetch(`${address}/ajax/publicpreview?file=photo.jpg&t=${open.token}`))).toBe(
      '32x32 jpeg',
    );
    expect(await sizeOf(await fetch(`${address}/publicpreview/${open.token}?x=16&y=16`))).toBe('16x16 jpeg');
    const locked = await files.link({ path: '/photo.jpg', owner: alice, password: 'of-the-link' });
    const lockedPreview = `${address}/publicpreview/${locked.token}`;
    const statusWith = async (password: string): Promise<number> =>
      (await fetch(lockedPreview, { headers: { authorization: basicAuth('public', password) } })).status;
    expect((await fetch(lockedPreview)).status).toBe(404);
    expect([await statusWith('wrong'), await statusWith('of-the-link')]).toEqual([401, 200]);
    expect((await fetch(`${address}/publicpreview/none-of-this-name`)).status).toBe(404);
    const drop = await files.link({ path: '/photo.jpg', owner: alice, permissions: 4 });
    expect((await fetch(`${address}/publicpreview/${drop.token}?file=photo.jpg`)).status).toBe(404);
  });

  it('by id and by path include the user', async () => {
    const id = await files.property(alice, '/photo.jpg', 'oc:fileid');
    const get = (query: string, uid: string): Promise<Response> =>
      fetch(`${files.url}/index.php/core/${query}`, {
        headers: { authorization: files.authorizationOf(uid) },
      });
    expect(await sizeOf(await get(`preview?fileId=${id}&x=32&y=32&a=1`, alice))).toBe('32x16 jpeg');
    expect((await get(`preview?fileId=${id}`, brian)).status).toBe(404);
    expect(await sizeOf(await get('preview.png?file=/photo.jpg', alice))).toBe('32x32 jpeg');
    expect((await get('preview.png?file=/photo.jpg', brian)).status).toBe(404);
  });

  it('include the recipient of a partner’s share, for small pictures', async () => {
    partner.set(`of-${run}`, '/small.png', await picture(50, 50).png().toBuffer());
    partner.set(
      `of-${run}`,
      '/large.png',
      Buffer.concat([await picture(50, 50).png().toBuffer(), Buffer.alloc(5_300_000)]),
    );
    await files.receive({ providerId: `of-${run}`, recipient: brian, target: '/Mount' });
    expect(await sizeOf(await ask('/Mount/small.png', undefined, brian))).toBe('32x32 png');
    expect((await ask('/Mount/large.png', undefined, brian)).status).toBe(404);
  });

  it('do not include a recipient of a file that its partner does not let them read any more', async () => {
    const content = await picture(50, 50).png().toBuffer();
    partner.set(`withdrawn-${run}`, '/small.png', content);
    await files.receive({ providerId: `withdrawn-${run}`, recipient: brian, target: '/Mount' });
    const preview = () => ask('/Mount/small.png', undefined, brian);
    expect(await sizeOf(await preview())).toBe('32x32 png');
    const read = () =>
      fetch(files.addressOf('/Mount/small.png'), {
        headers: { authorization: files.authorizationOf(brian) },
      });
    partner.fail('forbidden', 'read');
    try {
      expect([(await read()).status, (await preview()).status]).toEqual([403, 403]);
    } finally {
      partner.fail(undefined, 'read');
    }
    expect(await sizeOf(await preview())).toBe('32x32 png');
  });
});
