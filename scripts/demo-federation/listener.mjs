// Listens in front of an instance and prints the messages between servers; it passes requests of users without printing
// them.
import { createServer, request } from 'node:http';

/** The exchange depends on these secrets, so they are not printed. */
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
 * Listens on a free port and forwards everything.
 *
 * @param {{name: string, port: number}} instance the instance behind it
 * @returns `beforeNext` calls a function when the next message for this path arrives, and waits for it before it
 *   forwards the message
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
    // The caller sees the same as with a stopped server.
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
