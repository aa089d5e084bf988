import { once } from 'node:events';
import { connect } from 'node:net';
import { createLogger } from '#platform';
import { FakeRemoteFiles } from '../../../libs/testing/src/fakes/fake-remote-files';
import { FilesApp } from '../../../libs/testing/src/rigs/files-app';
import { eventually } from '../../../libs/testing/src/waiting';

interface Line {
  readonly level: number;
  readonly msg: string;
}
const WARN = 40;
const MORE_THAN_COMES = 100_000;

let files: FilesApp;
const partner = new FakeRemoteFiles();
const lines: Line[] = [];

beforeAll(async () => {
  const logger = createLogger('info', { write: (line) => void lines.push(JSON.parse(line) as Line) });
  files = await FilesApp.start(partner, logger);
  await files.addUsers('alice');
  partner.set('there', '/f.txt', 'of a partner');
  await files.receive({ providerId: 'there', recipient: 'alice', target: '/There' });
});
afterAll(() => files.stop());
beforeEach(() => lines.splice(0));

/** Begins an upload, and sends some of its bytes. */
async function begin(path: string, framing: string) {
  const { hostname, port } = new URL(files.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  const head = [`PUT /remote.php/webdav${path} HTTP/1.1`, 'Host: x', framing];
  socket.write(`${[...head, `Authorization: ${files.authorizationOf('alice')}`].join('\r\n')}\r\n\r\n`);
  socket.write(framing.startsWith('Content') ? 'x'.repeat(1000) : `3e8\r\n${'x'.repeat(1000)}\r\n`);
  await once(socket, 'ready');
  return socket;
}

const isLogged = (): Promise<boolean> =>
  eventually('a line about it', () => lines.some(({ msg }) => msg === 'a client broke off its request'));
const complaints = (): Line[] => lines.filter(({ level }) => level >= WARN);

describe.each(['/own.txt', '/There/new.txt'])('an upload to %s that its client breaks off', (path) => {
  it.each([
    [`Content-Length: ${MORE_THAN_COMES}`, 'destroy'],
    [`Content-Length: ${MORE_THAN_COMES}`, 'resetAndDestroy'],
    ['Transfer-Encoding: chunked', 'destroy'],
    ['Transfer-Encoding: chunked', 'resetAndDestroy'],
  ] as const)('is told at level info (%s, %s)', async (framing, end) => {
    await eventually('that nothing is left of another one', () => files.storedFiles().length === 0);
    const asked = partner.calls.length;
    const socket = await begin(path, framing);
    await eventually('that it is taken up', () =>
      path === '/own.txt' ? files.storedFiles().length > 0 : partner.calls.length > asked,
    );
    socket[end]();
    await isLogged();
    expect(complaints()).toEqual([]);
  });
});

it('a complete upload, whose client does not wait for the partner, is logged at level info', async () => {
  partner.hang();
  const probes = partner.calls.length;
  const socket = await begin('/There/f.txt', 'Content-Length: 1000');
  await eventually('the question to the partner', () => partner.calls.length > probes);
  socket.resetAndDestroy();
  await once(socket, 'close');
  await eventually('that nobody is served', async () => (await files.openConnections()) === 0);
  partner.release();
  await isLogged();
  expect(complaints()).toEqual([]);
});
