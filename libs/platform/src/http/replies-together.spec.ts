import { fastify } from 'fastify';
import { sendRepliesTogether } from './replies-together';

describe('answers of one turn of the event loop', () => {
  it('are sent after all requests of the turn were handled', async () => {
    const server = fastify();
    const seen: string[] = [];
    server.addHook('onSend', (request, _reply, _payload, done) => {
      seen.push(`answered ${request.url}`);
      done();
    });
    sendRepliesTogether(server);
    server.addHook('onSend', (request, _reply, _payload, done) => {
      seen.push(`sent ${request.url}`);
      done();
    });
    server.get('*', (request, reply) => void reply.send(request.url));
    await server.ready();
    const answers = await Promise.all(['/a', '/b'].map((url) => server.inject(url)));
    expect(answers.map(({ body }) => body)).toEqual(['/a', '/b']);
    expect(seen).toEqual(['answered /a', 'answered /b', 'sent /a', 'sent /b']);
    await server.close();
  });

  it('are sent once, with the status of the failure, if a handler fails after its answer', async () => {
    const server = fastify();
    sendRepliesTogether(server);
    server.get('*', async (request, reply) => {
      void reply.send(request.url);
      await Promise.resolve();
      throw new Error('too late');
    });
    const answers = await Promise.all(['/a', '/b'].map((url) => server.inject(url)));
    expect(answers.map(({ statusCode, body }) => `${statusCode} ${body}`)).toEqual(['500 /a', '500 /b']);
    await server.close();
  });

  it('are sent once, if a handler returns before its answer is sent', async () => {
    const server = fastify();
    sendRepliesTogether(server);
    server.get('*', async (request, reply) => {
      await Promise.resolve();
      void reply.send(request.url);
    });
    const answers = await Promise.all(['/a', '/b'].map((url) => server.inject(url)));
    expect(answers.map(({ statusCode, body }) => `${statusCode} ${body}`)).toEqual(['200 /a', '200 /b']);
    await server.close();
  });
});
