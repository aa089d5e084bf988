import { fastify, type FastifyInstance } from 'fastify';
import { EdgeAdapter } from './edge-adapter';
import { sendRepliesTogether } from './replies-together';
import { followEnds } from './request-ends';
import { RequestsUnderWay } from './requests-under-way';

/** Handlers as Nest makes them: they answer, and their promise has the reply. */
describe('handlers that answer by themselves', () => {
  let server: FastifyInstance;
  let sent: string[];

  beforeEach(() => {
    server = fastify();
    sent = [];
    server.addHook('onSend', (_request, reply, payload, done) => {
      sent.push(`${reply.statusCode} ${String(payload)}`);
      done();
    });
    followEnds(server);
    sendRepliesTogether(server);
    new RequestsUnderWay().follow(server);
    const adapter = new EdgeAdapter(server);
    adapter.setNotFoundHandler(async (_request, reply) => {
      await Promise.resolve();
      return reply.code(404).send('nothing here');
    });
    adapter.setErrorHandler(async (error, _request, reply) => {
      await Promise.resolve();
      return reply.code(500).send(error.message);
    });
  });

  afterEach(() => server.close());

  it('send one answer, which nobody waits for', async () => {
    const order: string[] = [];
    server.get('/a', async (_request, reply) => {
      reply.raw.once('close', () => order.push('sent'));
      await Promise.resolve(reply.send('a'));
      order.push('handled');
      return reply;
    });
    expect((await server.inject('/a')).body).toBe('a');
    expect(sent).toEqual(['200 a']);
    expect(order).toEqual(['handled', 'sent']);
  });

  it('send one answer to a path that does not exist', async () => {
    expect((await server.inject('/b')).body).toBe('nothing here');
    expect(sent).toEqual(['404 nothing here']);
  });

  it('may pass a request on as one to a path that does not exist', async () => {
    server.get('/c', (_request, reply) => reply.callNotFound());
    expect((await server.inject('/c')).body).toBe('nothing here');
    expect(sent).toEqual(['404 nothing here']);
  });

  it('send one answer to a failure', async () => {
    server.get('/d', () => Promise.reject(new Error('it broke')));
    expect((await server.inject('/d')).body).toBe('it broke');
    expect(sent).toEqual(['500 it broke']);
  });

  it('send one answer to a failure before their promise', async () => {
    server.get('/e', () => {
      throw new Error('it broke at once');
    });
    expect((await server.inject('/e')).body).toBe('it broke at once');
    expect(sent).toEqual(['500 it broke at once']);
  });
});
