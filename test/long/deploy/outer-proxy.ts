import { createServer, request as ask, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basicAuth } from '#testing';

/** A proxy that ends TLS is simulated here; it names its client in a header. */
export async function outerProxy(target: string): Promise<Server> {
  const server = createServer((incoming, outgoing) => {
    const { 'x-test-client': client, ...headers } = incoming.headers;
    const onward = ask(
      target + incoming.url!,
      { method: incoming.method, headers: { ...headers, 'x-forwarded-for': String(client) } },
      (reply) => {
        outgoing.writeHead(reply.statusCode!, reply.headers);
        reply.pipe(outgoing);
      },
    );
    incoming.pipe(onward);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return server;
}

export async function viaProxy(
  proxy: Server,
  client: string,
  { uid, password }: { uid: string; password: string },
): Promise<number> {
  const { port } = proxy.address() as AddressInfo;
  const reply = await fetch(`http://127.0.0.1:${port}/ocs/v2.php/cloud/user?format=json`, {
    headers: { authorization: basicAuth(uid, password), 'x-test-client': client },
  });
  return reply.status;
}
