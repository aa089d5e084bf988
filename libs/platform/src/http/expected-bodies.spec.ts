import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { FastifyInstance } from 'fastify';
import { readConfig } from '../config/read-config';
import { createLogger } from '../logging';
import { createFastify } from './fastify-instance';

let server: FastifyInstance;

beforeEach(async () => {
  server = createFastify(readConfig({}), () => undefined, createLogger('silent'));
  server.put('/kept', async (incoming, reply) => reply.send(await text(incoming.raw)));
  server.put('/refused', (_request, reply) => reply.code(403).send('no'));
  await server.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(async () => {
  server.server.closeAllConnections();
  await server.close();
});

/** A client that sends its body only when it is asked to. */
async function put(path: string, body: string): Promise<{ asked: boolean; answer: string }> {
  const { port } = server.server.address() as AddressInfo;
  const headers = { expect: '100-continue', 'content-length': body.length };
  const sending = request({ port, host: '127.0.0.1', path, method: 'PUT', headers });
  let asked = false;
  sending.on('continue', () => {
    asked = true;
    sending.end(body);
  });
  sending.flushHeaders();
  const [reply] = await once(sending, 'response');
  const answer = `${reply.statusCode} ${reply.headers.connection} ${await text(reply)}`;
  sending.destroy();
  return { asked, answer };
}

describe('a client that waits before it sends its body', () => {
  it('is asked for it when it is read', async () => {
    expect(await put('/kept', 'content')).toEqual({ asked: true, answer: '200 keep-alive content' });
  });

  it('is refused without sending it, on a connection that ends because nobody knows what comes next', async () => {
    expect(await put('/refused', 'content')).toEqual({ asked: false, answer: '403 close no' });
  });
});
