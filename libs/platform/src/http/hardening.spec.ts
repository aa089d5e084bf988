import { connect } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { readConfig } from '../config/read-config';
import { createLogger } from '../logging';
import { createFastify, type PresentRefusal } from './fastify-instance';
import { readBody } from './request-bodies';

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
  const refuse: PresentRefusal = (_error, _request, reply) => void reply.code(400).send('refused');
  const instance = createFastify(config, refuse, createLogger('silent'));
  open.push(instance);
  const seen: string[] = [];
  instance.all('/*', async (request, reply) => {
    seen.push(`${request.method} ${request.url}`);
    if (request.url.startsWith('/slow')) {
      setTimeout(() => void reply.send('late'), 2 * SILENCE_MS);
      return reply;
    }
    const body = Buffer.isBuffer(request.body) ? request.body : await readBody(request);
    return `${request.method} ${body.length}`;
  });
  await instance.listen({ port: 0, host: '127.0.0.1' });
  const address = instance.server.address() as { port: number };
  return { port: address.port, seen };
}

/** All bytes that arrive until the server closes the connection. */
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
    'forbids scripts, frames and content sniffing: %#',
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

  it('demands https only if clients use it', async () => {
    const { port } = await start({ PUBLIC_URL: 'http://cloud.example.org' });
    expect((await ask(port, '/')).headers.get('strict-transport-security')).toBeNull();
  });
});

describe('pages of other origins', () => {
  it('may read nothing if none is configured', async () => {
    const { port } = await start();
    expect((await ask(port, '/', { headers: { origin: ORIGIN } })).headers.get('vary')).toBeNull();
  });

  it('may read answers if they are named, and no others may', async () => {
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

describe('requests of pages through a browser', () => {
  const OWN = 'https://cloud.example.org';
  const SHARES = '/ocs/v1.php/apps/files_sharing/api/v1/shares';
  const send = async (
    headers: Record<string, string>,
    { method = 'POST', path = SHARES, env = {} }: { method?: string; path?: string; env?: object } = {},
  ): Promise<[number, number]> => {
    const { port, seen } = await start({
      PUBLIC_URL: `${OWN}/cloud`,
      CORS_ORIGINS: ORIGIN,
      ...env,
    });
    return [(await ask(port, path, { method, headers })).status, seen.length];
  };
  const REFUSED: [number, number] = [403, 0];
  const HEARD: [number, number] = [200, 1];

  it.each<[string, Record<string, string>]>([
    ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['another site of an old browser', { origin: 'https://evil.example' }],
    ['nowhere', { origin: 'null' }],
    ['a neighbour', { origin: 'https://www.example.org', 'sec-fetch-site': 'same-site' }],
    ['another port', { origin: `${OWN}:8443` }],
    ['the same host by http', { origin: 'http://cloud.example.org' }],
    ['a site that hides its name', { 'sec-fetch-site': 'cross-site' }],
    ['a neighbour that hides its name', { 'sec-fetch-site': 'same-site' }],
    ['a sandbox', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
  ])('are refused before anything is looked at: %s', async (_name, headers) => {
    expect(await send(headers)).toEqual(REFUSED);
  });

  it.each(['POST', 'PUT', 'DELETE', 'PATCH', 'MKCOL', 'MOVE', 'COPY', 'PROPPATCH', 'LOCK', 'UNLOCK'])(
    'are refused by %s',
    async (method) => {
      expect(await send({ origin: 'https://evil.example' }, { method })).toEqual(REFUSED);
    },
  );

  it.each(['GET', 'PROPFIND', 'REPORT', 'OPTIONS'])(
    'may be sent by %s, but the page cannot read the answer',
    async (method) => {
      const { port, seen } = await start({ PUBLIC_URL: OWN });
      const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
      const reply = await ask(port, SHARES, { method, headers });
      expect([reply.headers.get('access-control-allow-origin'), seen.length]).toEqual([null, 1]);
    },
  );

  it.each<[string, Record<string, string>]>([
    ['a client that is no browser', {}],
    ['our own pages', { origin: OWN, 'sec-fetch-site': 'same-origin' }],
    ['our own pages that tell nobody where they are', { origin: 'null', 'sec-fetch-site': 'same-origin' }],
    ['a page that is named', { origin: ORIGIN, 'sec-fetch-site': 'cross-site' }],
    ['the person', { 'sec-fetch-site': 'none' }],
    ['an extension', { origin: 'moz-extension://7a3c' }],
    ['an app', { origin: 'capacitor://localhost' }],
  ])('are accepted: %s', async (_name, headers) => {
    expect(await send(headers)).toEqual(HEARD);
  });

  it('are accepted at paths without an account, and no page counts as our own without PUBLIC_URL', async () => {
    const page = { origin: 'null' };
    expect(await send(page, { path: '/s/abcDEF?path=x' })).toEqual(HEARD);
    expect(await send(page, { path: '/ocm/shares' })).toEqual(HEARD);
    expect(await send(page, { path: '/share' })).toEqual(REFUSED);
    const env = { PUBLIC_URL: '' };
    expect(await send({ origin: 'http://127.0.0.1:8080' }, { env })).toEqual(REFUSED);
  });
});

describe('too large requests', () => {
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

describe('two requests in one', () => {
  const SMUGGLED = 'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n';
  it.each([
    ['two lengths', `Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcde${SMUGGLED}`],
    ['a length and chunks', `Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`],
    ['chunks that are not last', `Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${SMUGGLED}`],
    ['a name with a space', `Content-Length : 5\r\n\r\nabcde${SMUGGLED}`],
    ['a length that is none', `Content-Length: +5\r\n\r\nabcde${SMUGGLED}`],
    ['a folded line', `X: y\r\n Content-Length: 5\r\n\r\n${SMUGGLED}`],
  ])('are refused, and the second is never handled: %s', async (_name, rest) => {
    const { port, seen } = await start();
    expect(statusesIn(await converse(port, `POST /first HTTP/1.1\r\nHost: x\r\n${rest}`))).toEqual([400]);
    expect(seen).not.toContain('GET /smuggled');
  });

  it('get one answer, if the first closes the connection', async () => {
    const { port, seen } = await start();
    const last = 'GET /slow HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const text = await converse(port, `${last}${SMUGGLED}`);
    expect([statusesIn(text), seen]).toEqual([[200], ['GET /slow']]);
  });
});

describe('slow clients', () => {
  it('are cut if their headers do not end', async () => {
    const { port, seen } = await start();
    let timer: NodeJS.Timeout | undefined;
    const text = await converse(port, 'GET / HTTP/1.1\r\nHost: x\r\n', (send) => {
      timer = setInterval(() => send('X-Drop: y\r\n'), SILENCE_MS / 10);
    });
    clearInterval(timer);
    expect([statusesIn(text), seen]).toEqual([[408], []]);
  });

  it('are cut if they stop in the middle of a body', async () => {
    const { port } = await start();
    expect(await converse(port, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc')).toBe('');
  });

  it('are waited for during the time of an answer', async () => {
    const { port } = await start();
    expect(await (await ask(port, '/slow')).text()).toBe('late');
  });
});

it('the method comes only from the request line, never from headers or parameters', async () => {
  const { port, seen } = await start();
  const headers = {
    'x-http-method-override': 'DELETE',
    'x-http-method': 'DELETE',
    'x-method-override': 'DELETE',
  };
  await ask(port, '/x?_method=DELETE', { method: 'POST', headers });
  expect(seen).toEqual(['POST /x?_method=DELETE']);
});
