import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { readConfig } from '../config/read-config';
import { createLogger } from '../logging';
import { createFastify } from './fastify-instance';

let server: FastifyInstance;
let seen: string[];
let gate: PromiseWithResolvers<void>;
let begun: PromiseWithResolvers<void>;

beforeEach(async () => {
  server = createFastify(readConfig({}), () => undefined, createLogger('silent'));
  seen = [];
  gate = Promise.withResolvers();
  begun = Promise.withResolvers();
  server.addHook('onRequest', (request, _reply, done) => {
    seen.push(`begins ${request.url}`);
    done();
  });
  server.get('/slow', async (request, reply) => {
    begun.resolve();
    await gate.promise;
    seen.push(`ends ${request.url}`);
    return reply.headers(request.query as Record<string, string>).send('done');
  });
  server.get('/next', (_request, reply) => reply.send('done'));
  await server.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(async () => {
  server.server.closeAllConnections();
  await server.close();
});

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

/** Sends several requests at once, without waiting for answers. */
function send(...paths: string[]): { socket: Socket; answered: (count: number) => Promise<void> } {
  const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
  let text = '';
  socket.on('data', (data) => (text += data.toString()));
  socket.write(paths.map(get).join(''));
  const answered = async (count: number): Promise<void> => {
    while (text.split('HTTP/1.1 200').length <= count) await once(socket, 'data');
  };
  return { socket, answered };
}

describe('requests that a client sends without waiting for answers', () => {
  it('are handled one after another', async () => {
    const { answered } = send('/slow', '/next', '/next');
    await begun.promise;
    await send('/next?another-connection').answered(1);
    gate.resolve();
    await answered(3);
    expect(seen).toEqual([
      'begins /slow',
      'begins /next?another-connection',
      'ends /slow',
      'begins /next',
      'begins /next',
    ]);
  });

  it.each(['the client is gone', 'the connection ends with an answer'])(
    'are not handled any more when %s',
    async (end) => {
      const closed = Promise.withResolvers<void>();
      server.server.once('connection', (socket: Socket) => socket.once('close', () => closed.resolve()));
      const { socket } = send(end.startsWith('the client') ? '/slow' : '/slow?connection=close', '/next');
      await begun.promise;
      if (end.startsWith('the client')) socket.destroy();
      else gate.resolve();
      await closed.promise;
      gate.resolve();
      await send('/next?another-connection').answered(1);
      expect(seen).not.toContain('begins /next');
    },
  );
});
