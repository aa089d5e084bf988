import { PRODUCT_VERSION, PROTOCOL_VERSION } from '#platform';
import { SharingGateway } from '../sharing/sharing-gateway';
import { EdgeClient, type EdgeReply } from './edge-client';
import { routesOf } from './route-table';

const HOME = 'https://cloud.example.org';
const ELSEWHERE = 'elsewhere.example';

let world: SharingGateway;
let client: EdgeClient;
beforeAll(async () => {
  world = await SharingGateway.start({ env: { PUBLIC_URL: HOME } });
  client = new EdgeClient(world.gateway);
  await world.addUsers('alice');
});
afterAll(() => world?.stop());

/** Answers that a caller without an account gets on every route. */
async function everyAnswer(headers: Record<string, string> = {}): Promise<[string, EdgeReply][]> {
  const answers: [string, EdgeReply][] = [];
  for (const { method, path } of routesOf(world.gateway.instance.app.nest)) {
    const target = path.replace(/:\w+|\{?\*\w*\}?/g, 'x');
    const verb = method === 'ALL' ? 'PROPFIND' : method;
    answers.push([`${verb} ${target}`, await client.send({ method: verb, target, headers })]);
  }
  return answers;
}

it('every route answers with the security headers for browsers, and without a name or version of the software', async () => {
  const answers = await everyAnswer();
  expect(answers.length).toBeGreaterThan(100);
  for (const [route, { headers, body }] of answers) {
    expect([route, headers['x-content-type-options']]).toEqual([route, 'nosniff']);
    expect([route, headers['x-frame-options'] !== undefined]).toEqual([route, true]);
    expect([route, headers['content-security-policy']]).toEqual([
      route,
      expect.stringContaining("default-src 'none'"),
    ]);
    expect([route, headers['referrer-policy']]).toEqual([route, 'no-referrer']);
    expect([route, headers['strict-transport-security'] !== undefined]).toEqual([route, true]);
    expect([route, headers.server, headers['x-powered-by']]).toEqual([route, undefined, undefined]);
    // Deployed servers allow every page to read this answer, because it is public.
    const readers = route === 'GET /status.php' ? '*' : undefined;
    expect([route, headers['access-control-allow-origin']]).toEqual([route, readers]);
    // These two are where clients look for it.
    if (/\/(?:status\.php|capabilities)$/.test(route)) continue;
    for (const version of [PRODUCT_VERSION, PROTOCOL_VERSION])
      expect([route, body.includes(version)]).toEqual([route, false]);
  }
});

it('no link, redirection or document uses the host of the request', async () => {
  const forwarded = { 'x-forwarded-host': ELSEWHERE, forwarded: `host=${ELSEWHERE}` };
  for (const [route, { headers, body }] of await everyAnswer({ host: ELSEWHERE, ...forwarded })) {
    // Such calls ask for the client's own connection data.
    if (/\/config$/.test(route)) continue;
    expect([route, body.includes(ELSEWHERE)]).toEqual([route, false]);
    expect([route, String(headers.location ?? '').includes(ELSEWHERE)]).toEqual([route, false]);
  }
  await world.store('alice', '/named.txt');
  const made = await client.send({
    method: 'POST',
    target: '/ocs/v2.php/apps/files_sharing/api/v1/shares?format=json',
    headers: {
      host: ELSEWHERE,
      authorization: world.authorizationOf('alice'),
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: 'path=%2Fnamed.txt&shareType=3',
  });
  const { ocs } = JSON.parse(made.body) as { ocs: { data: { url: string } } };
  expect(ocs.data.url).toMatch(new RegExp(`^${HOME}/`));
});

describe('a page of another site', () => {
  const ELSEWHERES_PAGE = { origin: `https://${ELSEWHERE}`, 'sec-fetch-site': 'cross-site' };
  const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
  const users = async (): Promise<unknown> => (await world.ocs('GET', '/cloud/users', 'admin')).data;

  it('cannot create an account through the browser of a signed-in administrator', async () => {
    const before = await users();
    for (const version of [1, 2]) {
      const sent = await client.send({
        method: 'POST',
        target: `/ocs/v${version}.php/cloud/users`,
        headers: { authorization: world.authorizationOf('admin'), ...FORM, ...ELSEWHERES_PAGE },
        body: 'userid=mallory&password=of-another-site',
      });
      expect([sent.status, sent.headers['www-authenticate']]).toEqual([403, undefined]);
    }
    expect(await users()).toEqual(before);
  });

  it('cannot change a file', async () => {
    const put = (headers: Record<string, string>): Promise<EdgeReply> =>
      client.send({
        method: 'PUT',
        target: '/remote.php/webdav/crossed.txt',
        headers: { authorization: world.authorizationOf('alice'), ...headers },
        body: 'x',
      });
    expect((await put(ELSEWHERES_PAGE)).status).toBe(403);
    expect((await put({ origin: HOME, 'sec-fetch-site': 'same-origin' })).status).toBe(201);
  });

  it('does not block our own page for the password of a link', async () => {
    await world.store('alice', '/locked.txt');
    const form = { path: '/locked.txt', shareType: '3', password: 'of-the-locked-link' };
    const { data } = await world.share('alice', form);
    const unlocked = await client.send({
      method: 'POST',
      target: `/s/${data.token}`,
      // That page sends no referrer, not even to its own server.
      headers: { origin: 'null', ...FORM },
      body: 'password=of-the-locked-link',
    });
    expect(unlocked.status).toBe(303);
  });
});
