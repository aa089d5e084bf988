import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import ipaddr from 'ipaddr.js';
import { SecretText } from '#federation/protocol';
import {
  eventually,
  reply,
  startFakeServer,
  startMisbehaving,
  TEST_AUTHORITY,
  type FakeServer,
  type Misbehaviour,
} from '#testing';
import { keysOfVectors } from '../../../../testing/src/partners/signing-keys';
import { EgressFailed } from './egress-failed';
import { GuardedClient, type EgressLimits, type GuardedClientOptions } from './guarded-client';
import { SignedMessage, type Message } from './signed-message';

const LOOPBACK = ipaddr.parseCIDR('127.0.0.0/8');
/** Far more than a busy machine needs. Only tests that wait for a timeout use less. */
const AMPLE: Partial<EgressLimits> = { connectMs: 10_000, headersMs: 10_000, totalMs: 10_000 };
const SHORT: Partial<EgressLimits> = { headersMs: 1_500, totalMs: 1_500 };

const post = async (url: string, more: Partial<Message> = {}): Promise<SignedMessage> => {
  const key = await keysOfVectors().signing('rfc9421');
  return SignedMessage.sign({ method: 'POST', url, headers: {}, ...more }, key, Date.now());
};

describe('the guarded client', () => {
  const open: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one.close();
  });
  const keep = <T extends { close(): Promise<void> }>(one: T): T => {
    open.push(one);
    return one;
  };
  const clientWith = (options: Partial<GuardedClientOptions> = {}): GuardedClient =>
    keep(
      new GuardedClient({
        rules: { allowHttp: true, allowAddresses: [LOOPBACK] },
        limits: AMPLE,
        authorities: [TEST_AUTHORITY],
        ...options,
      }),
    );
  const echo = async (tls = false): Promise<FakeServer> =>
    keep(await startFakeServer((request, response) => reply(response, 200, request.body), { tls }));

  it('exchanges by https, with its own user agent, and does not request compression', async () => {
    const server = await echo(true);
    const message = await post(`${server.url}/x?y=1`, { body: new SecretText('told') });
    const answer = await clientWith().exchange(message);
    expect(answer).toMatchObject({ status: 200, text: 'told', incomplete: null });
    const headers = { 'user-agent': expect.stringMatching(/^Drawbridge\/\d/), 'accept-encoding': 'identity' };
    expect(server.requests[0]).toMatchObject({ method: 'POST', path: '/x?y=1', headers });
  });

  it('refuses to send a message that is not signed', () => {
    const client = clientWith();
    const message = { method: 'POST', url: 'https://partner.test/ocm/shares', headers: {} } as const;
    // The compiler refuses each of these.
    const unsigned = [
      // @ts-expect-error -- a POST is a message
      () => client.exchange(message),
      // @ts-expect-error -- content is never sent by POST
      () => client.stream(message),
      // @ts-expect-error -- only SignedMessage makes one, by signing
      () => client.exchange({ ...message, message, signature: {} }),
    ];
    expect(unsigned).toHaveLength(3);
  });

  it('refuses a certificate of an unknown authority', async () => {
    const server = await echo(true);
    await expectFailure(clientWith({ authorities: undefined }), server.url, {
      failure: 'certificate',
      mayHaveArrived: false,
      isRetryable: true,
    });
  });

  it('refuses a certificate for another name', async () => {
    const server = await echo(true);
    const client = clientWith({ resolver: async () => [{ address: '127.0.0.1', family: 4 }] });
    await expectFailure(client, `https://other.test:${server.port}`, { failure: 'certificate' });
    const url = `https://partner.test:${server.port}`;
    expect(await client.exchange({ method: 'GET', url })).toMatchObject({ status: 200 });
  });

  describe('does not connect to forbidden addresses', () => {
    const publicOnly = { rules: { allowHttp: false, allowAddresses: [] } };

    it.each([
      '127.0.0.1',
      '127.0.0.2',
      '127.1',
      '0x7f000001',
      '2130706433',
      '[::1]',
      '[::ffff:127.0.0.1]',
      'localhost',
    ])('when they are written as %s', async (host) => {
      const server = await echo();
      for (const scheme of ['http', 'https']) {
        await expectFailure(clientWith(publicOnly), `${scheme}://${host}:${server.port}/`, {
          failure: 'blocked',
          mayHaveArrived: false,
          isRetryable: false,
        });
      }
      expect(server.requests).toHaveLength(0);
    });

    it('if a name resolves to one', async () => {
      const server = await echo(true);
      const client = clientWith({
        ...publicOnly,
        resolver: async () => [
          { address: '10.0.0.1', family: 4 },
          { address: '::1', family: 6 },
        ],
      });
      await expectFailure(client, `https://partner.test:${server.port}`, { failure: 'blocked' });
    });

    it('if a name resolves to another address for the second request', async () => {
      const server = await echo(true);
      let asked = 0;
      const client = clientWith({
        resolver: async () => [{ address: (asked += 1) === 1 ? '127.0.0.1' : '169.254.169.254', family: 4 }],
      });
      const url = `https://partner.test:${server.port}`;
      expect((await client.exchange({ method: 'GET', url })).status).toBe(200);
      await server.close();
      // The kept connection is closed: the next request resolves the name again, and gets another address.
      await expectFailure(client, url, { failure: 'blocked' }, ['reset']);
      expect(asked).toBeGreaterThan(1);
    });

    it('and connects only to the allowed ones of several', async () => {
      const server = await echo(true);
      const client = clientWith({
        resolver: async () => [
          { address: '10.255.255.1', family: 4 },
          { address: '127.0.0.1', family: 4 },
        ],
      });
      const url = `https://partner.test:${server.port}`;
      expect(await client.exchange({ method: 'GET', url })).toMatchObject({ status: 200 });
    });

    it('and uses http only if it is switched on', async () => {
      const server = await echo();
      const rules = { allowHttp: false, allowAddresses: [LOOPBACK] };
      await expectFailure(clientWith({ rules }), server.url, { failure: 'blocked-http', isRetryable: false });
      expect(server.requests).toHaveLength(0);
    });
  });

  it('reports why a name cannot be resolved', async () => {
    const client = clientWith({
      resolver: async () => Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })),
    });
    await expectFailure(client, 'https://gone.test', { failure: 'unknown-host', mayHaveArrived: false });
    await expectFailure(clientWith({ resolver: async () => [] }), 'https://gone.test', {
      failure: 'unknown-host',
    });
  });

  it('reports that nothing listens', async () => {
    const { url, close } = await startFakeServer(() => undefined);
    await close();
    await expectFailure(clientWith(), url, { failure: 'not-listening', mayHaveArrived: false });
  });

  it('reports that a server does not use TLS', async () => {
    const server = await echo();
    await expectFailure(clientWith(), server.url.replace('http:', 'https:'), {
      failure: 'tls',
      mayHaveArrived: false,
    });
  });

  it('gives up on a server that never finishes its handshake', async () => {
    const silent = createTcpServer((socket) => void socket.on('error', () => undefined));
    await new Promise<void>((done) => void silent.listen(0, '127.0.0.1', done));
    const { port } = silent.address() as AddressInfo;
    // Refused before the limit of headers is reached, so it is certain that nothing was sent.
    const client = clientWith({ limits: { ...AMPLE, connectMs: 150 } });
    await expectFailure(client, `https://127.0.0.1:${port}`, { failure: 'timeout', mayHaveArrived: false });
    silent.close();
  });

  it.each<[Misbehaviour, Partial<EgressFailed>]>([
    ['hang', { failure: 'timeout', mayHaveArrived: true }],
    ['hangs up', { failure: 'reset', mayHaveArrived: true }],
    ['10,000 headers', { failure: 'too-large', mayHaveArrived: true }],
    ['200 small headers', { failure: 'too-large', mayHaveArrived: true }],
  ])('fails when a server does this: %s', async (kind, failure) => {
    const server = keep(await startMisbehaving(kind));
    await expectFailure(clientWith({ limits: SHORT }), server.url, failure, [], 'POST');
  });

  it.each<[Misbehaviour, object]>([
    ['slow bytes', { status: 200, incomplete: 'timeout' }],
    ['100 MB with 201', { status: 201, incomplete: 'too-large' }],
    ['decompression bomb', { status: 200, incomplete: 'too-large', text: '' }],
    ['half an answer', { status: 200, incomplete: 'reset' }],
    ['301', { status: 301, incomplete: null }],
  ])('stops reading early if a server does this: %s', async (kind, answer) => {
    const server = keep(await startMisbehaving(kind));
    const client = clientWith({ limits: kind === 'slow bytes' ? SHORT : AMPLE });
    const got = await client.exchange(await post(`${server.url}/x`));
    expect(got).toMatchObject(answer);
    expect(got.text.length).toBeLessThanOrEqual(1024 * 1024);
    // No server gets a second request.
    expect(server.requests).toHaveLength(1);
  });

  it('accepts a shorter time limit, and can be interrupted', async () => {
    const server = keep(await startMisbehaving('hang'));
    const patient = clientWith();
    await expect(patient.exchange(await post(server.url), 50)).rejects.toMatchObject({
      failure: 'timeout',
    });
    const interrupt = new AbortController();
    const running = patient.exchange(await post(server.url, { signal: interrupt.signal }));
    running.catch(() => undefined);
    await eventually('the second request', () => server.requests.length === 2);
    interrupt.abort();
    await expect(running).rejects.toMatchObject({ failure: 'closed' });
  });

  it('never shows the secret of a request', async () => {
    const server = keep(await startMisbehaving('hangs up'));
    const request = await post(server.url, { body: new SecretText('TopSecret22') });
    const failure: unknown = await clientWith()
      .exchange(request)
      .catch((error) => error);
    expect(`${String(failure)} ${JSON.stringify(failure)} ${(failure as Error).stack}`).not.toContain(
      'TopSecret22',
    );
    expect(JSON.stringify(request)).not.toContain('TopSecret22');
  });

  it('uses a bounded number of connections to one partner, and keeps them', async () => {
    const server = await echo(true);
    const client = clientWith({ limits: { ...AMPLE, connectionsPerOrigin: 2 } });
    const call = () => client.exchange({ method: 'GET', url: server.url });
    const answers = await Promise.all(Array.from({ length: 20 }, call));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    const connections = new Set(server.requests.map(({ remotePort }) => remotePort));
    expect(connections.size).toBeLessThanOrEqual(2);
  });

  describe('for content', () => {
    it('streams both ways without buffering everything', async () => {
      const server = await echo(true);
      const client = clientWith();
      const body = Readable.from(Array.from({ length: 64 }, () => Buffer.alloc(65_536, 'x')));
      const answer = await client.stream({ method: 'PUT', url: `${server.url}/f`, body });
      expect(answer.status).toBe(200);
      expect((await buffer(answer.body)).length).toBe(64 * 65_536);
    });

    it('follows no redirect', async () => {
      const elsewhere = await echo();
      const server = keep(
        await startFakeServer(
          (_request, response) => void response.writeHead(302, { location: `${elsewhere.url}/` }).end(),
        ),
      );
      const headers = { authorization: 'Bearer TopSecret22' };
      await expect(
        clientWith().stream({ method: 'GET', url: `${server.url}/f`, headers }),
      ).rejects.toMatchObject({ failure: 'blocked-redirect' });
      expect(elsewhere.requests).toHaveLength(0);
    });

    it('gives up if no bytes arrive any more', async () => {
      const server = keep(
        await startFakeServer((_request, response) => {
          response.writeHead(200, { 'content-length': '100' }).write('half');
        }),
      );
      const patient = clientWith({ limits: { ...AMPLE, idleMs: 100 } });
      const answer = await patient.stream({ method: 'GET', url: server.url });
      await expect(buffer(answer.body)).rejects.toMatchObject({ failure: 'timeout' });
    });
  });

  it('ends running requests when it is closed', async () => {
    const server = keep(await startMisbehaving('hang'));
    const client = clientWith();
    const running = client.exchange(await post(server.url));
    running.catch(() => undefined);
    await eventually('the request', () => server.requests.length === 1);
    await client.close();
    await expect(running).rejects.toMatchObject({ failure: 'closed' });
    await expect(client.exchange({ method: 'GET', url: server.url })).rejects.toMatchObject({
      failure: 'closed',
    });
  });
});

/** Repeats the call until it fails with an error that is not in `first`; those may come earlier. */
async function expectFailure(
  client: GuardedClient,
  url: string,
  expected: Partial<EgressFailed>,
  first: readonly string[] = [],
  method: 'GET' | 'POST' = 'GET',
): Promise<void> {
  const request = method === 'POST' ? await post(url) : { method, url };
  const call = (): Promise<unknown> => client.exchange(request).catch((error: unknown) => error);
  let failure = await call();
  for (
    let tries = 0;
    failure instanceof EgressFailed && first.includes(failure.failure) && tries < 5;
    tries += 1
  ) {
    failure = await call();
  }
  expect(failure).toBeInstanceOf(EgressFailed);
  expect(failure).toMatchObject(expected);
}
