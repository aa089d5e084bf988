// Stands in front of an instance and shows what servers say to each other; requests of people pass without being shown.
import { createServer, request } from 'node:http';

/** Secrets are what the whole exchange rests on: they are not shown. */
const SECRET = /("?(?:sharedSecret|token)"?\s*[:=]\s*"?)[A-Za-z0-9]{15,64}/g;
const BETWEEN_SERVERS =
  /^\/(ocm|ocm-provider|ocs-provider|\.well-known)\b|^\/ocs\/v[12]\.php\/cloud\/shares\b/;

const shown = (text) => text.replace(SECRET, '$1<secret>');

function show(name, { method, url }, body, reply, text) {
  console.log(`\n  => ${method} ${url}   (to ${name})`);
  if (body !== '') console.log(`     ${shown(body)}`);
  console.log(`  <= ${reply.statusCode}`);
  if (text !== '') console.log(`     ${shown(text).slice(0, 600)}`);
}

/**
 * Listens on a free port and hands everything on.
 *
 * @param {{name: string, port: number}} instance what is behind it
 * @returns `beforeNext` has a function called, and waited for, when the next message of this path comes: its effects
 * happen in the middle of the exchange
 */
export async function listenInFront(instance) {
  const waiting = new Map();
  const server = createServer(async (incoming, outgoing) => {
    const chunks = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const path = incoming.url.split('?')[0];
    const interruption = waiting.get(path);
    waiting.delete(path);
    await interruption?.();
    const onward = request(
      {
        host: '127.0.0.1',
        port: instance.port,
        method: incoming.method,
        path: incoming.url,
        headers: incoming.headers,
      },
      (reply) => {
        const parts = [];
        reply.on('data', (part) => parts.push(part));
        reply.on('end', () => {
          const content = Buffer.concat(parts);
          if (BETWEEN_SERVERS.test(incoming.url))
            show(instance.name, incoming, body.toString(), reply, content.toString());
          outgoing.writeHead(reply.statusCode, reply.headers).end(content);
        });
      },
    );
    // The caller sees the same as for a server that is gone.
    onward.on('error', () => incoming.socket.destroy());
    onward.end(body);
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    beforeNext: (path, interruption) => waiting.set(path, interruption),
    close: () => {
      server.closeAllConnections();
      return new Promise((closed) => server.close(closed));
    },
  };
}
