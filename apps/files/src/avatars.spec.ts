import sharp from 'sharp';
import { RuntimeSettings } from '#settings';
import { FilesApp } from '../../../libs/testing/src/rigs/files-app';

let files: FilesApp;
let [alice, brian] = ['', ''];

beforeAll(async () => {
  files = await FilesApp.start();
});
afterAll(() => files.stop());
beforeEach(async () => {
  [alice, brian] = await files.newPeople('alice', 'brian');
});

const picture = (width: number, height: number, background = 'red') =>
  sharp({ create: { width, height, channels: 3, background } });
/** The left half is red, the right half is blue. */
const halves = async (side: number): Promise<Buffer> =>
  picture(2 * side, side)
    .composite([{ input: await picture(side, side, 'blue').png().toBuffer(), left: side, top: 0 }])
    .png()
    .toBuffer();

const as = (uid: string, more: Record<string, string> = {}): { headers: Record<string, string> } => ({
  headers: { authorization: files.authorizationOf(uid), ...more },
});
const get = (path: string, uid = alice, more: Record<string, string> = {}): Promise<Response> =>
  fetch(files.url + path, as(uid, more));
const overDav = (uid: string, file: string, caller = alice): Promise<Response> =>
  get(`/remote.php/dav/avatars/${uid}/${file}`, caller);

function upload(content: Buffer, uid = alice, field = 'files[]'): Promise<Response> {
  const body = new FormData();
  body.append(field, new Blob([new Uint8Array(content)]), 'me.png');
  return fetch(`${files.url}/index.php/avatar/`, { method: 'POST', ...as(uid), body });
}
const crop = (values: Record<string, string>, uid = alice): Promise<Response> =>
  fetch(`${files.url}/index.php/avatar/cropped`, {
    method: 'POST',
    ...as(uid),
    body: new URLSearchParams(
      Object.entries(values).map(([name, value]): [string, string] => [`crop[${name}]`, value]),
    ),
  });
const remove = (uid = alice): Promise<Response> =>
  fetch(`${files.url}/index.php/avatar/`, { method: 'DELETE', ...as(uid) });
const answer = async (reply: Response): Promise<[number, unknown]> => [reply.status, await reply.json()];
const said = (message: string) => ({ data: { message } });
async function seen(reply: Response): Promise<string> {
  if (reply.status !== 200) return `HTTP ${reply.status}`;
  const image = sharp(Buffer.from(await reply.arrayBuffer()));
  const { width, height, format } = await image.metadata();
  const { dominant } = await image.stats();
  const colour = dominant.r > dominant.b ? 'red' : 'blue';
  return `${width}x${height} ${format} ${colour}`;
}
const set = (app: string, key: string, value: string): Promise<void> =>
  files.get(RuntimeSettings).set(app, key, value);

describe('the picture of an account', () => {
  it('is accepted unchanged if it is a square, and is sent in each size', async () => {
    expect(await answer(await upload(await picture(300, 300).jpeg().toBuffer()))).toEqual([
      200,
      { status: 'success' },
    ]);
    expect(await seen(await overDav(alice, '96.png'))).toBe('96x96 png red');
    expect(await seen(await overDav(alice, '96.jpeg', brian))).toBe('96x96 jpeg red');
    expect(await seen(await get(`/dav/avatars/${alice}/1024.png`))).toBe('1024x1024 png red');
    for (const [size, pixels] of [
      ['64', 64],
      ['0', 64],
      ['no-number', 64],
      ['9999', 2048],
    ] as const) {
      const reply = await get(`/index.php/avatar/${alice}/${size}`, brian);
      expect(reply.headers.get('x-nc-iscustomavatar')).toBe('1');
      expect(await seen(reply)).toBe(`${pixels}x${pixels} jpeg red`);
    }
    expect(await seen(await get(`/avatar/${alice}/64/dark`, brian))).toBe('64x64 jpeg red');
  });

  it('is cropped to the square that the user chose, if it is no square', async () => {
    const [status, { data, image }] = (await answer(await upload(await halves(100)))) as [
      number,
      Record<string, string>,
    ];
    expect([status, data, image?.slice(0, 22)]).toEqual([200, 'notsquare', 'data:image/png;base64,']);
    expect((await overDav(alice, '32.png')).status).toBe(404);
    expect(await seen(await get('/index.php/avatar/tmp'))).toContain('200x100 png');
    expect((await get('/index.php/avatar/tmp', brian)).status).toBe(404);
    expect(await answer(await crop({ x: '100', y: '0', w: '99.6', h: '100.4' }))).toEqual([
      200,
      { status: 'success' },
    ]);
    expect(await seen(await overDav(alice, '32.png'))).toBe('32x32 png blue');
    expect((await get('/index.php/avatar/tmp')).status).toBe(404);
  });

  it('is not cropped if the chosen part is no square, or if there is no uploaded picture', async () => {
    expect(await answer(await crop({ x: '0', y: '0', w: '9', h: '9' }))).toEqual([
      400,
      said('No temporary profile picture available, try again'),
    ]);
    await upload(await halves(100));
    expect(await answer(await crop({}))).toEqual([400, said('No crop data provided')]);
    expect(await answer(await crop({ x: '0', y: '0', w: '9' }))).toEqual([
      400,
      said('No valid crop data provided'),
    ]);
    expect(await answer(await crop({ x: '0', y: '0', w: '9', h: '8' }))).toEqual([
      400,
      said('Crop is not square'),
    ]);
    expect(await answer(await crop({ x: '150', y: '0', w: '90', h: '90' }))).toEqual([
      400,
      said('No valid crop data provided'),
    ]);
    expect((await overDav(alice, '32.png')).status).toBe(404);
  });

  it('is taken from a file of the user, but not from one that they may not read', async () => {
    const chosen = (path: string, uid = alice): Promise<Response> =>
      fetch(`${files.url}/index.php/avatar`, {
        method: 'POST',
        ...as(uid),
        body: new URLSearchParams({ path }),
      });
    const body = new Uint8Array(await picture(50, 50).png().toBuffer());
    await fetch(files.addressOf('/me.png'), { method: 'PUT', ...as(alice), body });
    await files.dav('MKCOL', alice, '/folder');
    expect(await answer(await chosen('/me.png', brian))).toEqual([
      404,
      said('The selected file cannot be read.'),
    ]);
    expect(await answer(await chosen('/folder'))).toEqual([200, said('Please select a file.')]);
    expect(await answer(await chosen('/me.png'))).toEqual([200, { status: 'success' }]);
    const id = await files.share({ path: '/me.png', owner: alice, recipient: brian });
    await files.setAttributes(
      id,
      JSON.stringify([{ scope: 'permissions', key: 'download', enabled: false }]),
    );
    expect((await chosen('/me.png', brian)).status).toBe(404);
  });

  it('is a JPEG or PNG of at most 20 MB', async () => {
    expect(await answer(await upload(Buffer.from('no picture')))).toEqual([200, said('Invalid image')]);
    expect(await answer(await upload(Buffer.from('\u0089PNG broken', 'latin1')))).toEqual([
      200,
      said('Invalid image'),
    ]);
    expect(await answer(await upload(await picture(9, 9).gif().toBuffer()))).toEqual([
      200,
      said('Unknown filetype'),
    ]);
    expect(await answer(await upload(Buffer.alloc(20 * 1024 * 1024 + 1)))).toEqual([
      400,
      said('File is too big'),
    ]);
    expect(await answer(await upload(Buffer.from('x'), alice, 'other'))).toEqual([
      400,
      said('No image or file provided'),
    ]);
  });

  it('is sent once to a client that caches it, and changes with the picture', async () => {
    await upload(await picture(30, 30).png().toBuffer());
    const etag = (await overDav(alice, '32.png')).headers.get('etag')!;
    const again = (): Promise<Response> =>
      get(`/remote.php/dav/avatars/${alice}/32.png`, alice, { 'if-none-match': etag });
    expect((await again()).status).toBe(304);
    expect((await again()).headers.get('content-security-policy')).toContain('sandbox');
    expect((await again()).headers.get('cache-control')).toContain('max-age=60');
    await upload(await picture(30, 30, 'blue').png().toBuffer());
    expect(await seen(await again())).toBe('32x32 png blue');
    expect(await answer(await remove())).toEqual([200, []]);
    expect((await again()).status).toBe(404);
  });
});

describe('an account without a picture', () => {
  it('shows its initials, in other colours on a dark background', async () => {
    const bright = await get(`/index.php/avatar/${alice}/64`, brian);
    expect([bright.status, bright.headers.get('x-nc-iscustomavatar')]).toEqual([200, '0']);
    const dark = await get(`/index.php/avatar/${alice}/64/dark`, brian);
    const [first, second] = [Buffer.from(await bright.arrayBuffer()), Buffer.from(await dark.arrayBuffer())];
    expect(await sharp(first).metadata()).toMatchObject({ width: 64, height: 64, format: 'png' });
    expect(first.equals(second)).toBe(false);
    expect((await overDav(alice, '64.png')).status).toBe(404);
  });

  it('includes every account while pictures are switched off', async () => {
    await upload(await picture(30, 30).png().toBuffer());
    await set('system', 'enable_avatars', 'no');
    expect((await overDav(alice, '32.png')).status).toBe(404);
    expect((await get(`/index.php/avatar/${alice}/64`)).status).toBe(404);
    expect((await upload(await picture(30, 30).png().toBuffer())).status).toBe(403);
    await set('system', 'enable_avatars', 'yes');
    expect((await overDav(alice, '32.png')).status).toBe(200);
  });
});

describe('readers of pictures', () => {
  it('have to sign in', async () => {
    for (const path of [
      `/remote.php/dav/avatars/${alice}/32.png`,
      `/index.php/avatar/${alice}/32`,
      '/avatar/tmp',
    ])
      expect((await fetch(files.url + path)).status).toBe(401);
    expect((await fetch(`${files.url}/index.php/avatar/`, { method: 'DELETE' })).status).toBe(401);
  });

  it('can find the account in the search for recipients, or share something with it', async () => {
    await upload(await picture(30, 30).png().toBuffer());
    await set('core', 'shareapi_only_share_with_group_members', 'yes');
    const replies = async (uid: string): Promise<unknown[]> => [
      (await overDav(uid, '32.png', brian)).status,
      await answer(await get(`/index.php/avatar/${uid}/32`, brian)),
      await answer(await get(`/index.php/avatar/${uid}/32/dark`, brian)),
    ];
    expect(await replies(alice)).toEqual(await replies('nobody'));
    expect((await overDav(alice, '32.png')).status).toBe(200);
    await files.dav('MKCOL', alice, '/docs');
    await files.share({ path: '/docs', owner: alice, recipient: brian });
    expect((await overDav(alice, '32.png', brian)).status).toBe(200);
    await set('core', 'shareapi_only_share_with_group_members', 'no');
  });

  it('use the addresses of deployed servers', async () => {
    for (const name of ['32.gif', '0.png', '1025.png', 'x.png', '32'])
      expect((await overDav(alice, name)).status).toBe(405);
  });
});
