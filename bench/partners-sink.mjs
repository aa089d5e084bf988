// Partners that accept every share after the usual time of a network round trip, and one that hangs: it answers only
// discovery. Run as a child process.
import { createServer } from 'node:http';

const WAY_MS = 100;
const HEALTHY = 9;

function startPartner(answers) {
  const server = createServer((request, response) => {
    if (request.url === '/.well-known/ocm') {
      const endPoint = `http://127.0.0.1:${server.address().port}/ocm`;
      const resourceTypes = [
        { name: 'file', shareTypes: ['user'], protocols: { webdav: '/public.php/webdav/' } },
      ];
      return answer(response, 200, { enabled: true, apiVersion: '1.0-proposal1', endPoint, resourceTypes });
    }
    request.resume();
    if (request.method === 'PROPFIND') return answers && listEmpty(request, response);
    if (request.method !== 'POST') return answer(response, 404, {});
    if (answers) setTimeout(() => answer(response, 201, {}), WAY_MS);
  });
  return new Promise((started) => server.listen(0, '127.0.0.1', () => started(server)));
}

function answer(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** An empty folder, for every requested path. */
function listEmpty(request, response) {
  const root = `<d:response><d:href>${request.url}</d:href><d:propstat><d:prop><d:resourcetype><d:collection/></d:resourcetype>
<d:getetag>"empty"</d:getetag></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`;
  response.writeHead(207, { 'content-type': 'application/xml' });
  response.end(`<?xml version="1.0"?><d:multistatus xmlns:d="DAV:">${root}</d:multistatus>`);
}

const healthy = await Promise.all(Array.from({ length: HEALTHY }, () => startPartner(true)));
const hanging = await startPartner(false);
const portOf = (server) => server.address().port;

process.on('message', ({ hangUp }) => {
  // Ends the requests that wait for the hanging partner.
  if (hangUp) hanging.closeAllConnections();
  process.send({ healthy: healthy.map(portOf), hanging: portOf(hanging) });
});
process.once('disconnect', () => process.exit(0));
