import { connect, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { readConfig } from '../config/read-config';
import { createLogger } from '../logging';
import { eventually } from '../../../testing/src/waiting';
import { createFastify, type PresentRefusal } from './fastify-instance';
import { announcesBody, readBody } from './request-bodies';
import { Unavailable } from './unavailable';

const KNOWN = '/ocs/v2.php/apps/files_sharing/api/v1/shares';
const ANONYMOUS = '/ocm/shares';

let instance: FastifyInstance;
let sockets: Socket[];
let lines: string[];
/** Addresses of the requests whose handler ran, with the number of bytes that each read. */
let heard: [string, number][];

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  instance.server.closeAllConnections();
  await instance.close();
});

/** @returns the port; a request to KNOWN without an Authorization header is refused unread */
async function start(env: Record<string, string>): Promise<number> {
  [sockets, lines, heard] = [[], [], []];
  const refuse: PresentRefusal = (_error, _request, reply) => void reply.code(400).send('refused');
  const logger = createLogger('debug', { write: (line) => void lines.push(line) });
  instance = createFastify(readConfig(env), refuse, logger);
  instance.setErrorHandler((error, _request, reply) =>
    reply
      .code(error instanceof Unavailable ? 503 : ((error as { statusCode?: number }).statusCode ?? 500))
      .send(''),
  );
  instance.all('/*', async (request, reply) => {
    if (request.url === KNOWN && request.headers.authorization === undefined) return reply.code(401).send('');
    const body =
      Buffer.isBuffer(request.body) || !announcesBody(request.raw) ? request.body : await readBody(request);
    heard.push([request.ip, (body as Buffer | undefined)?.length ?? 0]);
    return 'ok';
  });
  await instance.listen({ port: 0, host: '127.0.0.1' });
  return (instance.server.address() as { port: number }).port;
}

interface Conversation {
  readonly socket: Socket;
  /** The statuses that have arrived. */
  readonly answers: string[];
  /** Whether the server ended the connection. */
  isCut: boolean;
}

interface Sending {
  readonly length?: number;
  /** Number of body bytes. */
  readonly sent?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly from?: string;
}

/** Sends the head of a request and this number of its body's bytes. */
function begin(port: number, path: string, sending: Sending = {}): Conversation {
  const { length = 1000, sent = length, headers = {}, from = '127.0.0.1' } = sending;
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  const conversation: Conversation = { socket, answers: [], isCut: false };
  socket.on('data', (chunk) => {
    for (const [, status] of chunk.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3})/g))
      conversation.answers.push(status!);
  });
  socket.on('error', () => undefined);
  socket.on('close', () => (conversation.isCut = true));
  sockets.push(socket);
  const size = 'transfer-encoding' in headers ? {} : { 'content-length': length };
  const named = Object.entries({ ...headers, ...size }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\n${named.join('')}\r\n`);
  socket.write('x'.repeat(sent));
  return conversation;
}

const answersOf = ({ answers }: Conversation, count = 1): Promise<string[]> =>
  eventually('an answer', () => (answers.length >= count ? answers : undefined));
const end = (conversation: Conversation): Promise<true> =>
  eventually('the end of the connection', () => conversation.isCut || undefined);
/** The answer, or `cut` if there is none. */
const outcome = (conversation: Conversation): Promise<string> =>
  eventually('an outcome', () => conversation.answers[0] ?? (conversation.isCut ? 'cut' : undefined));

it('answers before it reads the body, if an account is needed', async () => {
  const port = await start({});
  expect(await answersOf(begin(port, KNOWN, { sent: 10 }))).toEqual(['401']);
  expect(heard).toEqual([]);
});

it('reads no more of an unwanted large body, and ends the connection', async () => {
  const port = await start({});
  const bytes = 32 * 1024 * 1024;
  let taken = 0;
  instance.server.once('connection', (socket: Socket) =>
    socket.once('close', () => (taken = socket.bytesRead)),
  );
  const conversation = begin(port, KNOWN, { length: bytes + 1, sent: bytes });
  expect(await answersOf(conversation)).toEqual(['401']);
  await end(conversation);
  await eventually('the end on our side', () => taken > 0 || undefined);
  expect(taken).toBeLessThan(bytes / 4);
});

it('reads the body after that, and the next request of the connection', async () => {
  const port = await start({});
  const conversation = begin(port, KNOWN, { headers: { authorization: 'x' } });
  expect(await answersOf(conversation)).toEqual(['200']);
  conversation.socket.write(`POST ${ANONYMOUS} HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc`);
  expect(await answersOf(conversation, 2)).toEqual(['200', '200']);
  expect(heard).toEqual([
    ['127.0.0.1', 1000],
    ['127.0.0.1', 3],
  ]);
});

const SMALL = { MAX_REQUEST_BODY: '2KB', HELD_BODIES_PER_ADDRESS: '5KB', HELD_BODIES: '8KB' };
const unfinished = { length: 2000, sent: 1999 };

it('refuses bodies above the limit of one address, accepts others, and logs it', async () => {
  const port = await start(SMALL);
  const first = [1, 2].map(() => begin(port, ANONYMOUS, { ...unfinished, from: '127.0.0.2' }));
  const beyond = begin(port, ANONYMOUS, { ...unfinished, from: '127.0.0.2' });
  const answered = [...first, beyond];
  await eventually('a refusal', () => answered.some(({ answers }) => answers.length > 0) || undefined);
  expect(answered.flatMap(({ answers }) => answers)).toEqual(['503']);
  expect(await answersOf(begin(port, ANONYMOUS))).toEqual(['200']);
  expect(lines.join('')).toContain('no-room-for-bodies');
});

it('counts clients behind a trusted proxy by their own addresses', async () => {
  const port = await start({ ...SMALL, TRUSTED_PROXIES: '127.0.0.1', CONNECTIONS_PER_ADDRESS: '2' });
  const client = (address: string) => ({ ...unfinished, headers: { 'x-forwarded-for': address } });
  const full = [1, 2, 3].map(() => begin(port, ANONYMOUS, client('192.0.2.1')));
  await eventually('a refusal', () => full.some(({ answers }) => answers.length > 0) || undefined);
  const other = begin(port, ANONYMOUS, { headers: { 'x-forwarded-for': '192.0.2.2' } });
  expect(await answersOf(other)).toEqual(['200']);
  expect(heard).toEqual([['192.0.2.2', 1000]]);
});

it('ends a body of the address with the most bytes, if the limit of all is reached', async () => {
  const port = await start(SMALL);
  const large = [1, 2].map(() => begin(port, ANONYMOUS, { ...unfinished, from: '127.0.0.2' }));
  const others = [1, 2].map(() => begin(port, ANONYMOUS, { ...unfinished, from: '127.0.0.3' }));
  const honest = begin(port, ANONYMOUS, { length: 900 });
  expect(await answersOf(honest)).toEqual(['200']);
  expect([...large, ...others].flatMap(({ answers }) => answers)).toEqual(['503']);
});

it('releases the bytes of a client that left', async () => {
  const port = await start(SMALL);
  for (let left = 5; left > 0; left--) {
    const { socket } = begin(port, ANONYMOUS, unfinished);
    await eventually('the connection', () => (socket.bytesWritten > 1999 ? true : undefined));
    socket.destroy();
  }
  await eventually('room', async () => {
    return (await outcome(begin(port, ANONYMOUS, { length: 2000 }))) === '200' || undefined;
  });
});

it('accepts a body in parts of one byte, and refuses one that grows too long', async () => {
  const port = await start({ MAX_REQUEST_BODY: '1KB' });
  const send = (pieces: number): Conversation => {
    const conversation = begin(port, ANONYMOUS, { headers: { 'transfer-encoding': 'chunked' }, sent: 0 });
    conversation.socket.write(`${'1\r\nx\r\n'.repeat(pieces)}0\r\n\r\n`);
    return conversation;
  };
  expect(await answersOf(send(1024))).toEqual(['200']);
  expect(heard).toEqual([['127.0.0.1', 1024]]);
  expect(await answersOf(send(1025))).toEqual(['413']);
});

it('cuts a client whose body is too slow, and accepts one that is fast enough', async () => {
  const port = await start({ CLIENT_TIMEOUT: '400ms', MIN_BODY_RATE: '1KB' });
  const slow = begin(port, ANONYMOUS, { sent: 1 });
  const timer = setInterval(() => slow.socket.write('x'), 20);
  await end(slow);
  expect([slow.answers, heard]).toEqual([[], []]);
  clearInterval(timer);
  const fast = begin(port, ANONYMOUS, { length: 100_000, sent: 0 });
  let left = 50;
  const pieces = setInterval(() => left-- > 0 && fast.socket.write('x'.repeat(2000)), 20);
  expect(await answersOf(fast)).toEqual(['200']);
  clearInterval(pieces);
});

it('cuts connections above the limit of one address, and accepts them after others have ended', async () => {
  const port = await start({ CONNECTIONS_PER_ADDRESS: '2' });
  const kept = [1, 2].map(() => begin(port, ANONYMOUS, { from: '127.0.0.2' }));
  for (const conversation of kept) expect(await answersOf(conversation)).toEqual(['200']);
  expect(await outcome(begin(port, ANONYMOUS, { from: '127.0.0.2' }))).toBe('cut');
  expect(await answersOf(begin(port, ANONYMOUS))).toEqual(['200']);
  kept[0]!.socket.destroy();
  await eventually('a place', async () => {
    return (await outcome(begin(port, ANONYMOUS, { from: '127.0.0.2' }))) === '200' || undefined;
  });
});
