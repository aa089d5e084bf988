// The server of a baseline: Fastify and `pg`, authentication by one SHA-256 of the Authorization header. run.mjs starts
// it as a child process with an IPC channel.
import { createHash } from 'node:crypto';
import { openEmbeddedDatabase } from '#embedded-database';
import Fastify from 'fastify';
import pg from 'pg';
import { envelopeJson, envelopeXml } from './baseline-envelope.mjs';

pg.types.setTypeParser(pg.types.builtins.INT8, Number);

const POOL = 10;
export const JSON_TYPE = 'application/json; charset=utf-8';
export const XML_TYPE = 'application/xml; charset=utf-8';
export const SHARES = '/ocs/v2.php/apps/files_sharing/api/v1/shares';

/** Answers with an envelope in the requested format, with the same message as the gateway. */
export const answer = (request, reply, data, message = null) =>
  request.query.format === 'json'
    ? reply.type(JSON_TYPE).send(envelopeJson(data, message))
    : reply.type(XML_TYPE).send(envelopeXml(data));

function build(accounts) {
  const accountOf = new Map(accounts.map((account) => [account.digest, account]));
  const app = Fastify();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(body))),
  );
  app.decorateRequest('account', null);
  app.addHook('onRequest', async (request, reply) => {
    const digest = createHash('sha256')
      .update(request.headers.authorization ?? '')
      .digest('hex');
    request.account = accountOf.get(digest);
    if (request.account === undefined) return reply.code(401).send();
  });
  return app;
}

/**
 * Waits for the parent's message, and serves until the channel closes.
 *
 * @param {(app: import('fastify').FastifyInstance, query: Function, options: object) => void} addRoutes `query` runs a
 *   statement prepared by name, and returns the result of `pg`; `options` are the parent's message
 */
export function serveBaseline(addRoutes) {
  process.once('message', async (options) => {
    const database = await openEmbeddedDatabase({ dataDirectory: options.dataDirectory, role: 'command' });
    const pool = new pg.Pool({ connectionString: database.url, max: POOL });
    const app = build(options.accounts);
    addRoutes(app, (statement, values) => pool.query({ ...statement, values }), options);
    await app.listen({ host: '127.0.0.1', port: 0 });
    process.once('disconnect', async () => {
      await app.close();
      await pool.end();
      await database.stop();
    });
    process.send({ port: app.server.address().port });
  });
}
