// The ceiling of this machine: node:http that answers with two bytes. Only judges whether the baseline is sane.
import { createServer } from 'node:http';

const server = createServer((_request, response) => {
  response.setHeader('Content-Length', 2);
  response.end('ok');
});
process.once('message', () => {
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
  process.once('disconnect', () => {
    server.close();
    server.closeAllConnections();
  });
});
