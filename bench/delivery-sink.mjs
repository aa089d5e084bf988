// A partner that accepts every share immediately: discovery and OCM. Run as a child process.
import { createServer } from 'node:http';

const server = createServer((request, response) => {
  if (request.url === '/.well-known/ocm') {
    const endPoint = `http://127.0.0.1:${server.address().port}/ocm`;
    const resourceTypes = [
      { name: 'file', shareTypes: ['user'], protocols: { webdav: '/public.php/webdav/' } },
    ];
    // The same as on our own instances: messages to this partner are signed by RFC 9421.
    const capabilities = ['http-sig'];
    const document = { enabled: true, apiVersion: '1.0-proposal1', endPoint, resourceTypes, capabilities };
    return answer(response, 200, document);
  }
  request.resume();
  request.once('end', () => answer(response, request.method === 'POST' ? 201 : 404, {}));
});

function answer(response, status, body) {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

process.once('message', () => {
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
  process.once('disconnect', () => {
    server.close();
    server.closeAllConnections();
  });
});
