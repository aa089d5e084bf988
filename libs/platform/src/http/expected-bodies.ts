import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/**
 * Lets clients that wait with their body (`Expect: 100-continue`, RFC 9110, 10.1.1) send it when it is read; Node.js would ask for it at once.
 * A refused upload is refused before it is sent; Node.js then ends the connection, because some clients send it after the answer.
 */
export function inviteBodiesWhenRead(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    const read = request._read.bind(request);
    request._read = (size) => {
      request._read = read;
      // After the answer, the rest of the request is only dropped.
      if (!response.headersSent) response.writeContinue();
      read(size);
    };
    server.emit('request', request, response);
  });
}
