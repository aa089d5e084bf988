import { lockBody } from '../../libs/testing/src/rigs/lock-client';
import { KilledReplicas } from './killed-replicas';
import { PathProxy } from './path-proxy';

jest.setTimeout(5 * 60_000);

let replicas: KilledReplicas;
let proxy: PathProxy;
beforeAll(async () => {
  replicas = await KilledReplicas.start();
  proxy = await PathProxy.open();
  for (const port of await replicas.ports()) proxy.add('files', port);
});
afterAll(async () => {
  await proxy?.close();
  await replicas?.stop();
});
afterEach(async () => expect(await replicas.problems()).toEqual([]));

const FILES = '/remote.php/dav/files/sender';
const UPLOADS = '/remote.php/dav/uploads/sender';
const TRASH = '/remote.php/dav/trash-bin/sender';

/** A request to the proxy, which sends every second one to the other replica. */
async function send(
  method: string,
  path: string,
  { body, ...headers }: Record<string, string> = {},
): Promise<{ status: number; headers: Headers; text: string }> {
  const reply = await fetch(new URL(path, proxy.url), {
    method,
    headers: { authorization: replicas.authorization, ...headers },
    body,
  });
  return { status: reply.status, headers: reply.headers, text: await reply.text() };
}
const status = async (...request: Parameters<typeof send>): Promise<number> =>
  (await send(...request)).status;
const content = async (path: string): Promise<string> => (await send('GET', FILES + path)).text;
const at = (path: string): string => proxy.url + FILES + path;

/** Runs a test twice, beginning at each of the replicas. */
const fromBoth = (name: string, story: (file: string) => Promise<void>): void =>
  it.each(['one', 'other'])(`${name}, beginning at %s`, async (first) => {
    if (first === 'other') await send('OPTIONS', '/remote.php/webdav/');
    await story(`/${first}.txt`);
  });

describe('two alternating replicas', () => {
  fromBoth('an upload by TUS', async (file) => {
    const filename = Buffer.from(file.slice(1)).toString('base64');
    const version = { 'tus-resumable': '1.0.0' };
    const begun = await send('POST', FILES, {
      ...version,
      'upload-length': '15',
      'upload-metadata': `filename ${filename}`,
    });
    expect(begun.status).toBe(201);
    const upload = new URL(begun.headers.get('location')!, proxy.url).pathname;
    const more = (body: string, offset: number): Promise<number> =>
      status('PATCH', upload, {
        ...version,
        'content-type': 'application/offset+octet-stream',
        'upload-offset': String(offset),
        body,
      });
    expect(await more('first ', 0)).toBe(204);
    expect((await send('HEAD', upload, version)).headers.get('upload-offset')).toBe('6');
    expect(await more('second', 3)).toBe(409);
    expect(await more('second ', 6)).toBe(204);
    expect(await more('ok', 13)).toBe(204);
    expect(await content(file)).toBe('first second ok');
  });

  fromBoth('an upload in chunks', async (file) => {
    const upload = `${UPLOADS}${file}`;
    expect(await status('MKCOL', upload)).toBe(201);
    for (const [name, body] of Object.entries({ '1': 'a', '2': 'b', '3': 'c', '4': 'd' }))
      expect(await status('PUT', `${upload}/${name}`, { body })).toBe(201);
    expect((await send('PROPFIND', upload, { depth: '1' })).text.match(/<d:response>/g)).toHaveLength(5);
    const put = await status('MOVE', `${upload}/.file`, { destination: at(`/chunks-${file.slice(1)}`) });
    expect([put, await content(`/chunks-${file.slice(1)}`)]).toEqual([201, 'abcd']);
    expect(await status('PROPFIND', upload, { depth: '0' })).toBe(404);
  });

  fromBoth('a lock', async (file) => {
    expect(await status('PUT', FILES + file, { body: 'free' })).toBeLessThan(300);
    const locked = await send('LOCK', FILES + file, { body: lockBody(), timeout: 'Second-600' });
    const token = locked.headers.get('lock-token')!;
    for (let turn = 0; turn < 3; turn++) expect(await status('PUT', FILES + file, { body: 'no' })).toBe(423);
    for (let turn = 0; turn < 3; turn++)
      expect(await status('PUT', FILES + file, { body: `holder ${turn}`, if: `(${token})` })).toBe(204);
    expect(await status('UNLOCK', FILES + file, { 'lock-token': token })).toBe(204);
    for (let turn = 0; turn < 2; turn++)
      expect(await status('PUT', FILES + file, { body: 'free' })).toBe(204);
  });

  fromBoth('a trash bin and versions', async (file) => {
    const path = `/kept-${file.slice(1)}`;
    for (const body of ['first', 'second', 'third'])
      expect(await status('PUT', FILES + path, { body })).toBeLessThan(300);
    const fileId = (await send('HEAD', FILES + path)).headers.get('oc-fileid')!.slice(0, 8);
    expect(await status('DELETE', FILES + path)).toBe(204);
    expect(await status('GET', FILES + path)).toBe(404);
    const id = Number(fileId);
    for (let turn = 0; turn < 2; turn++)
      expect((await send('PROPFIND', TRASH, { depth: '1' })).text).toContain(`${TRASH}/${id}`);
    expect(await status('MOVE', `${TRASH}/${id}`, { destination: at(path) })).toBe(201);
    expect(await status('MOVE', `${TRASH}/${id}`, { destination: at(path) })).toBe(404);
    const versions = `/remote.php/dav/meta/${id}/v`;
    for (let turn = 0; turn < 2; turn++) {
      const listed = (await send('PROPFIND', versions, { depth: '1' })).text;
      expect(listed.match(/<d:response>/g)).toHaveLength(3);
    }
    expect(await content(path)).toBe('third');
  });

  it('never answer with a server error', () => {
    expect(proxy.tally.take()).toEqual({
      ...{ answered: expect.any(Number), broken: 0, putOff: 0 },
      ...{ nobody: 0, refused: 0, cut: 0 },
    });
  });
});
