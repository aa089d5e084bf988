import { connect, type Socket } from 'node:net';
import { isAnonymousPath } from '#platform';
import { startGateway, type TestGateway } from '../../libs/testing/src';
import { routesOf } from './route-table';

let gateway: TestGateway;
let sockets: Socket[] = [];

beforeAll(async () => {
  gateway = await startGateway({ env: { FAILED_CALLS_PER_MINUTE: '100000' } });
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  await gateway.stop();
});

/** The status that is answered while all of the body but its first byte is missing. */
function askWithoutBody(method: string, path: string): Promise<number> {
  const { hostname, port } = new URL(gateway.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`no answer to ${method} ${path}`)));
    socket.once('data', (answer) => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(String(answer))?.[1])));
    const type = 'content-type: application/x-www-form-urlencoded';
    socket.write(`${method} ${path} HTTP/1.1\r\nhost: x\r\n${type}\r\ncontent-length: 1000\r\n\r\nx`);
  });
}

it('every call that needs an account is refused before its body is read', async () => {
  const routes = routesOf(gateway.instance.app.nest)
    .map(({ method, path }) => ({ method, path: path.replace(/:\w+(?:\([^)]*\))?/g, '7') }))
    .filter(({ method, path }) => path.startsWith('/ocs/') && method !== 'GET' && !isAnonymousPath(path));
  expect(routes.length).toBeGreaterThan(50);
  const answers = await Promise.all(
    routes.map(async ({ method, path }) => [method, path, await askWithoutBody(method, path)]),
  );
  expect(answers).toEqual(routes.map(({ method, path }) => [method, path, 401]));
});

it.each(['PUT', 'PROPFIND', 'PROPPATCH', 'MKCOL', 'COPY'])(
  '%s of file content by an anonymous caller is refused before its body is read',
  async (method) => {
    expect(await askWithoutBody(method, '/remote.php/webdav/new.txt')).toBe(401);
    expect(await askWithoutBody(method, '/public.php/webdav/new.txt')).toBe(401);
  },
);
