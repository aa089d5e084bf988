// A minimal server of push events: the library for WebSockets, and one LISTEN connection to PostgreSQL. It accepts everybody, and each
// notification of the database becomes an event for every client. Run as a child process.
import { createServer } from 'node:http';
import pg from 'pg';
import { WebSocketServer } from 'ws';

/** The channel of its notifications. */
const CHANNEL = 'bare_push';
const MESSAGES_OF_SIGN_IN = 2;

process.once('message', async ({ url }) => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`LISTEN ${CHANNEL}`);
  const sockets = new Set();
  client.on('notification', () => {
    for (const socket of sockets) socket.send('notify_file');
  });
  const server = createServer();
  new WebSocketServer({ server, perMessageDeflate: false }).on('connection', (socket) => {
    let messages = 0;
    socket.on('message', () => {
      if (++messages === MESSAGES_OF_SIGN_IN) socket.send('authenticated');
    });
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1', 4096, () => process.send({ port: server.address().port, channel: CHANNEL }));
  process.once('disconnect', () => process.exit(0));
});
