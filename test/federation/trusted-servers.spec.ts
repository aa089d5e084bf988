import { createHash } from 'node:crypto';
import {
  eventually,
  ownCloudDocument,
  replyJson,
  startFakeServer,
  type FakeServer,
} from '../../libs/testing/src';
import { hostOfAddress, type HostIdentity } from '#federation/protocol';
import { HandshakeRepository, PeerTrustRepository, Database } from '#persistence';
import { SecretBox } from '#platform';
import { Schedules } from '#queue';
import { SharingGateway } from '../sharing/sharing-gateway';
import { ENCRYPTION_KEY } from './inbound-partner';
import { AMONG_FAKES } from './outgoing-world';

const FEDERATION = '/ocs/v2.php/apps/federation/api/v1';
const CLOUD = '/ocs/v2.php/cloud/shared-secret';
const OURS = 'OurTokenOf16Char';
const THEIRS = 'TheirTokenOf16Ch';
const SECRET = 'SecretOfThePartnerWith32Letters0';

let people: SharingGateway;
let partner: FakeServer;
let database: Database;
/** The kind of the partner's answers. */
let answers: { request: number; secret: number };
const secrets = new SecretBox(() => Buffer.from(ENCRYPTION_KEY, 'hex'));

beforeAll(async () => {
  people = await SharingGateway.start({ env: { ...AMONG_FAKES, ENCRYPTION_KEY } });
  const url = people.gateway.databaseUrl;
  database = await Database.connect({ url, poolSize: 1, applicationName: 'spec' });
});
afterAll(async () => {
  await database?.close();
  await people?.stop();
});
beforeEach(async () => {
  answers = { request: 200, secret: 200 };
  partner = await startFakeServer((request, response) => {
    const path = request.path.split('?')[0]!;
    if (path === '/ocm-provider/') return replyJson(response, 200, ownCloudDocument(`${partner.url}/ocm`));
    if (path === `${FEDERATION}/request-shared-secret`)
      return replyJson(response, answers.request, envelope([]));
    if (path === `${FEDERATION}/shared-secret`) {
      const isTheirs = new URLSearchParams(request.path.split('?')[1]).get('token') === THEIRS;
      const status = isTheirs ? answers.secret : 403;
      return replyJson(response, status, envelope(status === 200 ? { sharedSecret: SECRET } : []));
    }
    return replyJson(response, 404, {});
  });
  await regard('trusted');
});
afterEach(() => partner.close());

const envelope = (data: unknown) => ({
  ocs: { meta: { status: 'ok', statuscode: 200, message: null }, data },
});
const host = (): HostIdentity => hostOfAddress(new URL(partner.url).host);
const regard = (trust: 'trusted' | 'allowed') => new PeerTrustRepository(database).set(host(), trust, 'both');

async function begin(token = OURS): Promise<void> {
  const { id } = (await new PeerTrustRepository(database).find(host()))!;
  await new HandshakeRepository(database).begin(id, secrets.seal(token));
}

const state = async (): Promise<string | undefined> =>
  (
    await people.query<{ state: string }>(
      'SELECT h.state FROM trusted_handshake h JOIN peer p ON p.id = h.peer_id WHERE p.host_key = $1',
      [host()],
    )
  )[0]?.state;

/** Makes the worker's next work due now. */
const round = ({ gateway }: SharingGateway): Promise<void> =>
  gateway.instance.app.nest.get(Schedules, { strict: false }).run('trusted-handshakes');

async function reaches(wanted: string): Promise<void> {
  await round(people);
  await eventually(`the handshake is ${wanted}`, async () => (await state()) === wanted);
}

/** A call of the partner. */
async function call(
  method: string,
  path: string,
  token: string,
  url = partner.url,
): Promise<{ status: number; data: Record<string, string> }> {
  const form = new URLSearchParams({ url, token, format: 'json' });
  const target = `${people.gateway.url}${path}`;
  const reply = await (method === 'POST'
    ? fetch(`${target}?format=json`, { method, body: form })
    : fetch(`${target}?${form.toString()}`));
  const { ocs } = (await reply.json()) as { ocs: { data: Record<string, string> } };
  return { status: reply.status, data: ocs.data };
}

async function book(secret: string): Promise<{ status: number; text: string }> {
  const reply = await fetch(`${people.gateway.url}/remote.php/dav/addressbooks/system/system/system`, {
    method: 'REPORT',
    headers: { authorization: `Basic ${Buffer.from(`system:${secret}`).toString('base64')}` },
    body: '<sync-collection xmlns="DAV:"><sync-token/></sync-collection>',
  });
  return { status: reply.status, text: await reply.text() };
}

/** A token whose digest is lower or higher than the digest of ours. */
function tokenWithDigest(order: 'smaller' | 'greater'): string {
  const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
  const found = Array.from({ length: 100 }, (_none, index) => `PartnerToken${index}`).find(
    (token) => digest(token) < digest(OURS) === (order === 'smaller'),
  );
  return found!;
}

it('asks a trusted server, which fetches the secret once and opens the empty address book with it', async () => {
  await begin();
  // Called by the schedule itself.
  await eventually('the request', async () => (await state()) === 'asked');
  const asked = partner.requests.find(({ path }) => path.startsWith(`${FEDERATION}/request`))!;
  expect([asked.method, Object.fromEntries(new URLSearchParams(asked.body))]).toEqual([
    'POST',
    { url: people.gateway.url, token: OURS, format: 'json' },
  ]);
  expect((await call('GET', `${FEDERATION}/shared-secret`, 'AnotherTokenOf16')).status).toBe(403);
  const given = await call('GET', `${FEDERATION}/shared-secret`, OURS);
  expect([given.status, given.data.sharedSecret]).toEqual([200, expect.stringMatching(/^[A-Za-z0-9]{32}$/)]);
  expect(await state()).toBe('done');
  expect((await call('GET', `${FEDERATION}/shared-secret`, OURS)).status).toBe(403);
  const opened = await book(given.data.sharedSecret!);
  expect([opened.status, opened.text]).toEqual([207, expect.stringContaining('sync-token')]);
  expect(opened.text).not.toContain('<d:response>');
  expect((await book('a-guess')).status).toBe(401);
  await regard('allowed');
  expect((await book(given.data.sharedSecret!)).status).toBe(401);
});

it.each([`${FEDERATION}/request-shared-secret`, CLOUD])(
  'fetches the secret of a trusted server that asks at %s',
  async (path) => {
    expect((await call('POST', path, THEIRS)).status).toBe(200);
    await reaches('done');
    expect((await book(SECRET)).status).toBe(207);
    expect(JSON.stringify(await people.query('SELECT h::text FROM trusted_handshake h'))).not.toContain(
      THEIRS,
    );
  },
);

it.each([
  ['POST', `${FEDERATION}/request-shared-secret`],
  ['POST', CLOUD],
  ['GET', `${FEDERATION}/shared-secret`],
  ['GET', CLOUD],
])('refuses %s %s of a server that is not trusted, or without a server', async (method, path) => {
  await begin();
  await regard('allowed');
  expect((await call(method, path, OURS)).status).toBe(403);
  expect((await call(method, path, OURS, 'https://stranger.example')).status).toBe(403);
  expect((await call(method, path, '', '')).status).toBe(403);
  expect(await people.query(`SELECT FROM peer WHERE host_key = 'stranger.example'`)).toEqual([]);
});

it('lets the server with the greater digest continue if both ask at once', async () => {
  answers.request = 503;
  await begin();
  expect((await call('POST', CLOUD, tokenWithDigest('smaller'))).status).toBe(403);
  expect(await state()).toBe('asking');
  expect((await call('POST', CLOUD, tokenWithDigest('greater'))).status).toBe(200);
});

it('accepts a request of a server that declined ours, with any token', async () => {
  answers.request = 403;
  await begin();
  await reaches('declined');
  expect((await call('POST', CLOUD, tokenWithDigest('smaller'))).status).toBe(200);
});

it('does not request a secret from a server that is about to fetch one', async () => {
  await begin();
  await reaches('asked');
  expect((await call('POST', CLOUD, tokenWithDigest('greater'))).status).toBe(403);
  expect(await state()).toBe('asked');
});

it('two instances agree on a secret, in either direction', async () => {
  const other = await SharingGateway.start({ env: { ...AMONG_FAKES, ENCRYPTION_KEY } });
  try {
    const [here, there] = [people, other].map(({ gateway }) => new URL(gateway.url).host);
    const name = new PeerTrustRepository(database);
    const { id } = await name.set(hostOfAddress(there!), 'trusted', 'both');
    await other.query(`INSERT INTO peer (host_key, trust) VALUES ($1, 'trusted')`, [here]);
    await new HandshakeRepository(database).begin(id, secrets.seal(OURS));
    await round(people);
    await round(other);
    const hmacOf = async (gateway: SharingGateway, host: string): Promise<Buffer> =>
      eventually('a secret', async () => {
        const rows = await gateway.query<{ secret_hmac: Buffer }>(
          `SELECT h.secret_hmac FROM trusted_handshake h JOIN peer p ON p.id = h.peer_id
           WHERE p.host_key = $1 AND h.state = 'done'`,
          [host],
        );
        return rows[0]?.secret_hmac;
      });
    expect(await hmacOf(people, there!)).toEqual(await hmacOf(other, here!));
  } finally {
    await other.stop();
  }
});

it('keeps its secret if another server asks in a partner’s name', async () => {
  await call('POST', CLOUD, THEIRS);
  await reaches('done');
  expect((await call('POST', CLOUD, 'TokenOfAnAttackr')).status).toBe(200);
  await round(people);
  await eventually('the partner refuses', () =>
    partner.requests.some(({ path }) => path.includes('TokenOfAnAttackr')),
  );
  await reaches('done');
  expect((await book(SECRET)).status).toBe(207);
});
