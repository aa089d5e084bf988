import { mkdtempSync, rmSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '#platform';
import { FilesApp } from '../../../libs/testing/src/rigs/files-app';

describe('an upload to a full disk', () => {
  const lines: string[] = [];
  let files: FilesApp;
  let everyFile: FileHandle;
  let disk: jest.SpyInstance;
  let directory: string;

  beforeAll(async () => {
    files = await FilesApp.start(undefined, createLogger('error', { write: (line) => lines.push(line) }));
    await files.addUsers('alice');
    directory = mkdtempSync(join(tmpdir(), 'drawbridge-full-'));
    const handle = await open(join(directory, 'any'), 'w');
    everyFile = Object.getPrototypeOf(handle) as FileHandle;
    await handle.close();
  });
  beforeEach(() => {
    lines.length = 0;
    disk = fillUp();
  });
  afterEach(() => disk.mockRestore());
  afterAll(async () => {
    await files.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const fillUp = (): jest.SpyInstance =>
    jest
      .spyOn(everyFile, 'writev')
      .mockRejectedValue(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }));
  const answerOf = async (reply: Response): Promise<[number, string]> => [reply.status, await reply.text()];

  it('is answered 507, leaves nothing, and is logged', async () => {
    const [status, body] = await answerOf(await files.dav('PUT', 'alice', '/a.txt', { body: 'x' }));
    expect([status, body]).toEqual([507, expect.stringContaining('The server has no room left')]);
    expect(body).toContain('Sabre\\DAV\\Exception\\InsufficientStorage');
    expect(lines).toEqual([expect.stringContaining('no space left on device')]);
    expect(files.storedFiles()).toEqual([]);
  });

  it('is answered with a page to guests of a link', async () => {
    disk.mockRestore();
    await files.dav('MKCOL', 'alice', '/drop');
    const { token } = await files.link({ path: '/drop', owner: 'alice', permissions: 4 });
    const html = await (await fetch(`${files.url}/s/${token}`)).text();
    const action = /multipart\/form-data" action="(.*?)"/.exec(html)![1]!.replaceAll('&amp;', '&');
    const body = new FormData();
    body.append('file', new Blob(['x']), 'a.txt');
    disk = fillUp();
    const [status, page] = await answerOf(await fetch(new URL(action, files.url), { method: 'POST', body }));
    expect([status, page]).toEqual([507, expect.stringContaining('There is no room left')]);
    expect(lines).toHaveLength(1);
  });

  it('is answered 507 when it is sent in pieces', async () => {
    const uploads = `${files.url}/remote.php/dav/uploads/alice/one`;
    const headers = { authorization: files.authorizationOf('alice') };
    expect((await fetch(uploads, { method: 'MKCOL', headers })).status).toBe(201);
    expect((await fetch(`${uploads}/1`, { method: 'PUT', headers, body: 'x' })).status).toBe(507);
    disk.mockRestore();
    expect((await fetch(`${uploads}/1`, { method: 'PUT', headers, body: 'x' })).status).toBe(201);
  });
});
