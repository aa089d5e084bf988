// Many partners, each at an address of its own: most accept every share, the others hang and answer only discovery. Run as a child process.
import { createServer } from 'node:http';

const WAY_MS = 20;

const server = (answers) => (request, response) => {
  if (request.url === '/.well-known/ocm') {
    const endPoint = `http://${request.headers.host}/ocm`;
    const resourceTypes = [
      { name: 'file', shareTypes: ['user'], protocols: { webdav: '/public.php/webdav/' } },
    ];
    return answer(response, 200, { enabled: true, apiVersion: '1.0-proposal1', endPoint, resourceTypes });
  }
  request.resume();
  if (request.method !== 'POST') return answer(response, 404, {});
  if (answers) setTimeout(() => answer(response, 201, {}), WAY_MS);
};

function answer(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

const listen = (address, answers) =>
  new Promise((started, failed) => {
    const one = createServer(server(answers));
    one.once('error', failed);
    one.listen(0, address, () => started(`${address}:${one.address().port}`));
  });

/** Loopback addresses from 127.1.0.1 on. */
const addressOf = (index) => `127.${1 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`;

process.once('message', async ({ healthy, hanging }) => {
  const hosts = [];
  for (let index = 0; index < healthy + hanging; index++)
    hosts.push(await listen(addressOf(index + 1), index < healthy));
  process.send({ healthy: hosts.slice(0, healthy), hanging: hosts.slice(healthy) });
});
process.once('disconnect', () => process.exit(0));
