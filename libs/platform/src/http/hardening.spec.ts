import { connect } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { readConfig } from '../config/read-config';
import { createFastify } from './fastify-instance';

const ORIGIN = 'https://office.example';
const SILENCE_MS = 300;

let open: FastifyInstance[] = [];
afterEach(async () => {
  for (const { server } of open) server.closeAllConnections();
  await Promise.all(open.map((instance) => instance.close()));
  open = [];
});

interface Started {
  readonly port: number;
  readonly seen: string[];
}

async function start(env: Record<string, string> = {}): Promise<Started> {
  const config = readConfig({ CLIENT_TIMEOUT: `${SILENCE_MS}ms`, ...env });
  const instance = createFastify(config, (_error, _request, reply) => void reply.code(400).send('refused'));
  open.push(instance);
  const seen: string[] = [];
  instance.all('/*', (request, reply) => {
    seen.push(`${request.method} ${request.url}`);
    if (request.url.startsWith('/slow')) setTimeout(() => void reply.send('late'), 2 * SILENCE_MS);
    else void reply.send(`${request.method} ${Buffer.isBuffer(request.body) ? request.body.length : 0}`);
  });
  await instance.listen({ port: 0, host: '127.0.0.1' });
  const address = instance.server.address() as { port: number };
  return { port: address.port, seen };
}

/** Everything that comes back until the server closes the connection. */
function converse(
  port: number,
  message: string,
  more?: (send: (text: string) => void) => void,
): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(message);
      more?.((piece) => socket.writable && socket.write(piece));
    });
    socket.on('data', (chunk) => (text += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
  });
}

const statusesIn = (text: string): number[] =>
  [...text.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => Number(status));
const ask = async (port: number, path: string, init: RequestInit = {}) =>
  fetch(`http://127.0.0.1:${port}${path}`, init);

describe('every answer', () => {
  it.each(['/', '/%zz', `/${'x'.repeat(9000)}`])(
    'says that it is not run, framed or guessed at: %#',
    async (path) => {
      const { port } = await start({ PUBLIC_URL: 'https://cloud.example.org' });
      const { headers } = await ask(port, path);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
      expect(headers.get('server') ?? headers.get('x-powered-by')).toBeNull();
      expect(headers.get('access-control-allow-origin')).toBeNull();
    },
  );

  it('asks for https only where clients come by it', async () => {
    const { port } = await start({ PUBLIC_URL: 'http://cloud.example.org' });
    expect((await ask(port, '/')).headers.get('strict-transport-security')).toBeNull();
  });
});

describe('pages of other origins', () => {
  it('may read nothing where none is configured', async () => {
    const { port } = await start();
    expect((await ask(port, '/', { headers: { origin: ORIGIN } })).headers.get('vary')).toBeNull();
  });

  it('may read answers when they are named, and nobody else may', async () => {
    const { port, seen } = await start({ CORS_ORIGINS: `https://other.example,${ORIGIN}` });
    const preflight = { origin: ORIGIN, 'access-control-request-method': 'PUT' };
    const allowed = await ask(port, '/x', { method: 'OPTIONS', headers: preflight });
    expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([204, ORIGIN]);
    expect(allowed.headers.get('access-control-allow-credentials')).toBeNull();
    expect(seen).toEqual([]);
    for (const origin of ['https://office.example.evil.example', 'null', 'http://office.example']) {
      const refused = await ask(port, '/x', { headers: { origin } });
      expect(refused.headers.get('access-control-allow-origin')).toBeNull();
      expect(refused.headers.get('vary')).toBe('Origin');
    }
  });
});

describe('requests that are too large', () => {
  it('are refused by their line, their headers or their body', async () => {
    const { port, seen } = await start();
    expect((await ask(port, `/?${'x'.repeat(8300)}`)).status).toBe(414);
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`x-${at}`, 'y']));
    expect((await ask(port, '/', { headers: many })).status).toBe(431);
    expect(
      statusesIn(await converse(port, `GET / HTTP/1.1\r\nHost: x\r\n${'X-Y: z\r\n'.repeat(10_000)}\r\n`)),
    ).toEqual([431]);
    const post = (path: string, bytes: number) =>
      ask(port, path, { method: 'POST', body: 'x'.repeat(bytes) });
    expect((await post('/ocm/shares', 132_000)).status).toBe(413);
    expect((await post('/ocs/v2.php/cloud/shares/7/accept', 132_000)).status).toBe(413);
    expect(seen).toEqual([]);
    expect(await (await post('/ocs/v2.php/cloud/users', 66_000)).text()).toBe('POST 66000');
    expect((await post('/ocs/v2.php/cloud/users', 1_100_000)).status).toBe(413);
  });
});

describe('two requests that look like one', () => {
  const SMUGGLED = 'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n';
  it.each([
    ['two lengths', `Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcde${SMUGGLED}`],
    ['a length and chunks', `Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`],
    ['chunks that are not last', `Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${SMUGGLED}`],
    ['a name with a space', `Content-Length : 5\r\n\r\nabcde${SMUGGLED}`],
    ['a length that is none', `Content-Length: +5\r\n\r\nabcde${SMUGGLED}`],
    ['a folded line', `X: y\r\n Content-Length: 5\r\n\r\n${SMUGGLED}`],
  ])('are refused, and the second is never heard: %s', async (_name, rest) => {
    const { port, seen } = await start();
    expect(statusesIn(await converse(port, `POST /first HTTP/1.1\r\nHost: x\r\n${rest}`))).toEqual([400]);
    expect(seen).not.toContain('GET /smuggled');
  });
});

describe('clients that take their time', () => {
  it('are cut when their headers do not end', async () => {
    const { port, seen } = await start();
    let timer: NodeJS.Timeout | undefined;
    const text = await converse(port, 'GET / HTTP/1.1\r\nHost: x\r\n', (send) => {
      timer = setInterval(() => send('X-Drop: y\r\n'), SILENCE_MS / 10);
    });
    clearInterval(timer);
    expect([statusesIn(text), seen]).toEqual([[408], []]);
  });

  it('are cut when they stop in the middle of a body', async () => {
    const { port } = await start();
    expect(await converse(port, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc')).toBe('');
  });

  it('are waited for as long as an answer takes to make', async () => {
    const { port } = await start();
    expect(await (await ask(port, '/slow')).text()).toBe('late');
  });
});

it('a method is the one of the request line, whatever headers and parameters say', async () => {
  const { port, seen } = await start();
  const headers = {
    'x-http-method-override': 'DELETE',
    'x-http-method': 'DELETE',
    'x-method-override': 'DELETE',
  };
  await ask(port, '/x?_method=DELETE', { method: 'POST', headers });
  expect(seen).toEqual(['POST /x?_method=DELETE']);
});
