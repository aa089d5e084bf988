import { once } from 'node:events';
import { connect } from 'node:net';
import { fastify, type FastifyInstance } from 'fastify';
import { followEnds, onRequestEnd } from './request-ends';
import { RequestsUnderWay } from './requests-under-way';

describe('ends of requests', () => {
  let server: FastifyInstance;
  let ended: string[];

  beforeEach(() => {
    server = fastify();
    ended = [];
    followEnds(server);
    onRequestEnd(server, (request, reply, durationMs) => {
      expect(durationMs).toBeGreaterThanOrEqual(0);
      const kind = reply.raw.writableFinished ? reply.statusCode : 'left';
      ended.push(`${request.routeOptions.url ?? 'none'} ${kind}`);
    });
  });

  afterEach(() => server.close());

  async function addressOf(): Promise<{ url: string; port: number }> {
    const url = await server.listen({ host: '127.0.0.1', port: 0 });
    return { url, port: Number(new URL(url).port) };
  }

  it('are told once for answers, refusals and unknown paths', async () => {
    server.addHook('onRequest', (request, reply, done) => {
      if (request.headers['x-refused']) void reply.code(403).send();
      else done();
    });
    server.get('/a', (_request, reply) => void reply.send('a'));
    const { url } = await addressOf();
    for (const [path, headers] of [
      ['/a', {}],
      ['/a', { 'x-refused': 'yes' }],
      ['/b', {}],
    ] as const)
      await (await fetch(url + path, { headers })).text();
    expect(ended).toEqual(['/a 200', '/a 403', 'none 404']);
  });

  it('are told for a client that leaves before its answer', async () => {
    const arrived = Promise.withResolvers<void>();
    server.get('/slow', () => {
      arrived.resolve();
      return new Promise(() => undefined);
    });
    const { port } = await addressOf();
    const client = connect(port, '127.0.0.1').on('error', () => undefined);
    client.write('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
    await arrived.promise;
    const left = new Promise<void>((resolve) => onRequestEnd(server, () => resolve()));
    client.destroy();
    await left;
    expect(ended).toEqual(['/slow left']);
  });

  it('leave no request under way that was refused before it began', async () => {
    const requests = new RequestsUnderWay();
    server.addHook('onRequest', (_request, reply) => void reply.code(403).send());
    requests.follow(server);
    server.get('/a', (_request, reply) => void reply.send('a'));
    const { url } = await addressOf();
    expect((await fetch(`${url}/a`)).status).toBe(403);
    const closed = once(server.server, 'close');
    await server.close();
    await closed;
    expect(ended).toEqual(['/a 403']);
  });
});
