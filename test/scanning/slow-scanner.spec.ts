import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { RuntimeSettings } from '#settings';
import { UnfinishedUploads } from '#storage';
import { RepeatedPuts } from '../../libs/storage/src/tree/repeated-puts';
import { eventually } from '../../libs/testing/src';
import { FakeRemoteFiles } from '../../libs/testing/src/fakes/fake-remote-files';
import { FilesApp } from '../../libs/testing/src/rigs/files-app';

/** Bytes that end a content in the protocol of clamd. */
const END = Buffer.alloc(4);

/** A scanner in the protocol of clamd that finds nothing, and answers when it is told to. */
class SlowScanner {
  private readonly waiting = new Set<Socket>();
  private readonly server: Server;
  /** Contents that it got. */
  scans = 0;

  constructor() {
    this.server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (bytes) => {
        if (!bytes.subarray(-END.length).equals(END)) return;
        this.scans += 1;
        this.waiting.add(socket);
      });
    });
  }

  async listen(): Promise<string> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    return `clamd://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  answer(): void {
    for (const socket of this.waiting) socket.end('stream: OK\0');
    this.waiting.clear();
  }

  close(): void {
    this.answer();
    this.server.close();
  }
}

const scanner = new SlowScanner();
const partner = new FakeRemoteFiles();
let files: FilesApp;

beforeAll(async () => {
  files = await FilesApp.start(partner, undefined, { SCANNER: await scanner.listen() });
  await files.addUsers('alice');
  await files.get(RuntimeSettings).set('files_antivirus', 'scan_uploads_of', 'everybody');
  await files.dav('MKCOL', 'alice', '/folder');
});
afterAll(async () => {
  scanner.close();
  await files.stop();
});

const send = (method: string, path: string, headers = {}, body?: string): Promise<Response> =>
  fetch(new URL(path, files.url), {
    method,
    headers: { authorization: files.authorizationOf('alice'), 'tus-resumable': '1.0.0', ...headers },
    ...(body === undefined ? {} : { body }),
  });
const BYTES = { 'content-type': 'application/offset+octet-stream' };

/** Counts the calls of a method until the test ends. */
function callsOf<Name extends string>(owner: Record<Name, (...values: never[]) => unknown>, name: Name) {
  const spy = jest.spyOn(owner as Record<string, () => unknown>, name as string);
  return () => spy.mock.calls.length;
}
afterEach(() => jest.restoreAllMocks());

/** Sends a request, and another one while the scanner still looks at the first. @param arrived counts those whose content is here */
async function repeated(
  first: () => Promise<Response>,
  again = first,
  arrived = callsOf(RepeatedPuts.prototype, 'once'),
): Promise<Response[]> {
  const before = scanner.scans;
  const replies = [first()];
  await eventually('a scan', () => scanner.scans > before);
  replies.push(again());
  await eventually('that the second one is here', () => arrived() === 2);
  scanner.answer();
  const both = await Promise.all(replies);
  expect(scanner.scans - before).toBe(1);
  return both;
}

async function namesIn(folder: string): Promise<string[]> {
  const sql = `SELECT n.name FROM node n JOIN node p ON p.id = n.parent_id WHERE p.name = $1 ORDER BY n.name`;
  return (await files.database.dataSource.query<{ name: string }[]>(sql, [folder])).map(({ name }) => name);
}

describe('an upload that is repeated while a slow scanner looks at it', () => {
  it('is scanned once and makes one file, without a version', async () => {
    const put = () => send('PUT', '/remote.php/dav/files/alice/slow.txt', {}, 'slowly scanned');
    const stored = files.storedFiles().length;
    expect((await repeated(put)).map(({ status }) => status)).toEqual([201, 201]);
    expect(files.storedFiles()).toHaveLength(stored + 1);
  });

  it('makes one file in an upload-only link', async () => {
    await files.dav('MKCOL', 'alice', '/drop');
    const { token } = await files.link({ owner: 'alice', path: '/drop', permissions: 4 });
    const put = () =>
      fetch(`${files.url}/remote.php/dav/public-files/${token}/slow.txt`, { method: 'PUT', body: 'dropped' });
    expect((await repeated(put)).map(({ status }) => status)).toEqual([201, 201]);
    expect(await namesIn('drop')).toEqual(['slow.txt']);
  });

  it('is finished for both requests, if it came in chunks', async () => {
    const address = '/remote.php/dav/uploads/alice/slow';
    await send('MKCOL', address);
    await send('PUT', `${address}/1`, {}, 'in chunks');
    const destination = `${files.url}/remote.php/dav/files/alice/folder/chunks.txt`;
    const replies = await repeated(() => send('MOVE', `${address}/.file`, { destination }));
    expect(replies.map(({ status }) => status)).toEqual([201, 201]);
    expect(await namesIn('folder')).toEqual(['chunks.txt']);
  });

  it('is finished for a sender by TUS who asks for its state', async () => {
    const headers = { 'upload-length': '3', 'upload-metadata': `filename ${btoa('folder/tus.txt')}` };
    const begun = await send('POST', '/remote.php/dav/files/alice', headers);
    const address = new URL(begun.headers.get('location')!).pathname;
    const replies = await repeated(
      () => send('PATCH', address, { 'upload-offset': '0', ...BYTES }, 'tus'),
      () => send('HEAD', address),
    );
    expect(replies.map(({ status }) => status)).toEqual([204, 200]);
    expect(replies.map((reply) => reply.headers.get('upload-offset'))).toEqual(['3', '3']);
    expect(await namesIn('folder')).toEqual(['chunks.txt', 'tus.txt']);
  });

  it('has the headers of its file for both requests, if the last chunk was sent next to the file', async () => {
    const headers = { 'oc-chunked': '1' };
    const chunk = () => send('PUT', '/remote.php/webdav/folder/old.txt-chunking-1-1-0', headers, 'old');
    const replies = await repeated(chunk, chunk, callsOf(files.get(UnfinishedUploads), 'comingFile'));
    expect(replies.map(({ status, headers }) => [status, headers.has('etag')])).toEqual([
      [201, true],
      [201, true],
    ]);
  });

  it('goes once to a partner', async () => {
    partner.set('there', '/known.txt', 'of a partner');
    await files.receive({ providerId: 'there', recipient: 'alice', target: '/There' });
    const put = () => send('PUT', '/remote.php/webdav/There/slow.txt', {}, 'for a partner');
    expect((await repeated(put)).map(({ status }) => status)).toEqual([201, 201]);
    expect(partner.calls.filter((call) => call.startsWith('write '))).toHaveLength(1);
  });

  it('makes the file for one of two senders who want to be the first', async () => {
    const headers = { 'if-none-match': '*' };
    const put = () => send('PUT', '/remote.php/dav/files/alice/lock', headers, 'mine');
    const before = scanner.scans;
    const replies = [put(), put()];
    await eventually('both scans', () => scanner.scans === before + 2);
    scanner.answer();
    expect((await Promise.all(replies)).map(({ status }) => status).sort()).toEqual([201, 412]);
  });

  it('is scanned again if another content came for its place in between', async () => {
    const put = (body: string) => send('PUT', '/remote.php/dav/files/alice/changed.txt', {}, body);
    const before = scanner.scans;
    const replies = [];
    for (const [index, body] of ['one', 'two', 'one'].entries()) {
      replies.push(put(body));
      await eventually('its scan', () => scanner.scans === before + index + 1);
    }
    scanner.answer();
    expect((await Promise.all(replies)).every(({ ok }) => ok)).toBe(true);
  });
});
