// The upper limit of this machine: a node:http server whose answer is two bytes. It only shows whether the baseline is
// plausible.
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
