import { randomBytes } from 'node:crypto';
import { SecretBox } from '#platform';
import {
  basicAuth,
  createTestDatabase,
  replyJson,
  startFakeServer,
  startNextcloud,
  type FakeServer,
  type TestDatabase,
} from '../../libs/testing/src';
import { SharingWorld } from '../api/sharing-world';
import { PASSWORD } from '../edge/edge-client';
import { AMONG_FAKES, hostOf, OutgoingWorld, recordOf, SHARES } from './outgoing-world';

const REMOTE_SHARES = '/apps/files_sharing/api/v1/remote_shares';
const REQUIRE = ['federatedfilesharing', 'require_token_exchange'] as const;
const MUST = 'must-exchange-token';

/** The bodies of the offers that a server got. */
const offersTo = ({ requests }: FakeServer): Record<string, unknown>[] =>
  requests
    .filter(({ method, path }) => method === 'POST' && path.includes('/shares'))
    .map(({ body }) => JSON.parse(body) as Record<string, unknown>);

describe('two instances, one of which demands the exchange of its secrets', () => {
  const key = randomBytes(32).toString('hex');
  let database: TestDatabase;
  let a: SharingWorld;
  let replicas: SharingWorld[];
  let shareId: string;
  let secret: string;

  const start = (env: Record<string, string> = {}, databaseUrl?: string): Promise<SharingWorld> =>
    SharingWorld.start({
      compatibility: 'owncloud10',
      databaseUrl,
      env: { ...AMONG_FAKES, FEDERATION_SYNC_WAIT: '10s', ...env },
    });
  const asBob = (at: SharingWorld, method: string, path: string, body?: string): Promise<Response> =>
    fetch(`${at.gateway.url}/remote.php/webdav${path}`, {
      method,
      headers: { authorization: basicAuth('bob', PASSWORD) },
      body,
    });
  const sql = <Row>(text: string): Promise<Row[]> => database.database.dataSource.query<Row[]>(text);

  beforeAll(async () => {
    database = await createTestDatabase({ poolSize: 2 });
    const first = await start({ ENCRYPTION_KEY: key }, database.url);
    const second = await start({ ENCRYPTION_KEY: key, PUBLIC_URL: first.gateway.url }, database.url);
    replicas = [first, second];
    a = await start();
    await a.set(...REQUIRE, 'yes');
    await a.addUser('alice');
    await first.addUser('bob');
    await a.put('alice', '/plan.txt');
    const shareWith = `bob@${new URL(first.gateway.url).host}`;
    shareId = String((await a.share('alice', { path: '/plan.txt', shareType: '6', shareWith })).id);
    const pending = (await first.must('GET', `${REMOTE_SHARES}/pending`, { as: 'bob' })).data as Entry[];
    await first.must('POST', `${REMOTE_SHARES}/pending/${String(pending[0]!.id)}`, { as: 'bob' });
    const [row] = await sql<{ sealed: Buffer }>('SELECT token_enc AS sealed FROM received_share');
    secret = new SecretBox(() => Buffer.from(key, 'hex')).open(row!.sealed);
  }, 300_000);
  afterAll(async () => {
    await Promise.all([a, ...(replicas ?? [])].map((world) => world?.stop()));
    await database?.drop();
  });

  it('send the demand with an offer', async () => {
    expect(await sql("SELECT access -> 'requirements' AS said FROM received_share")).toEqual([
      { said: [MUST] },
    ]);
  });

  it('read and write through the mount, on any replica, even all at once', async () => {
    const reads = replicas.flatMap((at) => Array.from({ length: 5 }, () => asBob(at, 'GET', '/plan.txt')));
    for (const reply of await Promise.all(reads))
      expect([reply.status, await reply.text()]).toEqual([200, 'content']);
    expect((await asBob(replicas[1]!, 'PUT', '/plan.txt', 'of bob')).status).toBe(204);
    const alices = await fetch(`${a.gateway.url}/remote.php/webdav/plan.txt`, {
      headers: { authorization: basicAuth('alice', PASSWORD) },
    });
    expect(await alices.text()).toBe('of bob');
  });

  it.each([
    ['Bearer', () => `Bearer ${secret}`],
    ['Basic', () => basicAuth(secret, '')],
  ])('refuse the secret itself: %s', async (_scheme, authorization) => {
    for (const path of [`/dav/ocm/${shareId}`, '/public.php/webdav/']) {
      const headers = { authorization: authorization() };
      expect((await fetch(a.gateway.url + path, { headers })).status).toBe(401);
    }
  });

  it('exchange no secret for a request that the share’s partner did not sign', async () => {
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: new URL(replicas[0]!.gateway.url).host,
      code: secret,
    });
    const reply = await fetch(`${a.gateway.url}/ocm/token`, { method: 'POST', body });
    expect([reply.status, await reply.json()]).toEqual([400, { error: 'invalid_client' }]);
  });

  it('end the shares', async () => {
    await a.must('DELETE', `${SHARES}/${shareId}`, { as: 'alice' });
    expect([404, 503]).toContain((await asBob(replicas[1]!, 'GET', '/plan.txt')).status);
  });
});

type Entry = Readonly<Record<string, unknown>>;

describe('an offer', () => {
  let world: OutgoingWorld;
  let server: FakeServer;
  let criteria: string[];
  let capabilities: string[];
  let answer: number;

  beforeAll(async () => {
    world = await OutgoingWorld.start({ FEDERATION_SYNC_WAIT: '10s' });
  }, 300_000);
  afterAll(() => world?.stop());
  beforeEach(async () => {
    [criteria, capabilities, answer] = [[], [], 201];
    server = await startFakeServer((request, response) => {
      if (request.path.endsWith('/shares')) return replyJson(response, answer, {});
      if (request.path !== '/.well-known/ocm') return replyJson(response, 404, {});
      const resource = { name: 'file', shareTypes: ['user'], protocols: { webdav: '/public.php/webdav/' } };
      return replyJson(response, 200, {
        enabled: true,
        apiVersion: '1.1.0',
        endPoint: `${server.url}/ocm`,
        provider: 'Nextcloud',
        resourceTypes: [resource],
        capabilities,
        criteria,
      });
    });
  });
  afterEach(async () => {
    await world.sharing.unset(...REQUIRE);
    await server.close();
  });

  let run = 0;
  const offer = async () => recordOf(await world.offer(`offer${++run}.txt`, `bea@${hostOf(server)}`));

  it('to a server that accepts no others has the demand', async () => {
    criteria = [MUST];
    expect(await offer()).toMatchObject({ delivery_state: 'delivered' });
    expect(offersTo(server)).toMatchObject([
      { resourceType: 'file', protocol: { name: 'multi', webdav: { requirements: [MUST] } } },
    ]);
  });

  it('with the demand is not repeated in another dialect after a refusal', async () => {
    [criteria, answer] = [[MUST], 501];
    await offer();
    expect(offersTo(server).map(({ protocol }) => (protocol as Entry).name)).toEqual(['multi']);
  });

  it('keeps the demand when it is repeated, even after the setting was switched off', async () => {
    await world.sharing.set(...REQUIRE, 'yes');
    [capabilities, answer] = [['exchange-token'], 503];
    const { id } = await offer();
    await world.sharing.unset(...REQUIRE);
    answer = 201;
    await world.letTimePass();
    await world.settled(id, { delivery_state: 'delivered' });
    const said = offersTo(server).map(
      ({ protocol }) => (protocol as { webdav?: Entry }).webdav?.requirements,
    );
    expect(said.length).toBeGreaterThan(1);
    for (const one of said) expect(one).toEqual([MUST]);
  });

  it('has the demand if the setting asks for it, for servers that support it', async () => {
    await world.sharing.set(...REQUIRE, 'yes');
    capabilities = ['exchange-token'];
    await offer();
    expect(offersTo(server)).toMatchObject([{ protocol: { webdav: { requirements: [MUST] } } }]);
  });

  it('does not have the demand for servers without support', async () => {
    await world.sharing.set(...REQUIRE, 'yes');
    await offer();
    const nextcloud = await startNextcloud();
    await world.offer(`offer${++run}.txt`, `bea@${hostOf(nextcloud)}`);
    await nextcloud.close();
    expect(JSON.stringify([...offersTo(server), ...offersTo(nextcloud)])).not.toContain(MUST);
  });

  it('an exchange is not demanded without a setting', async () => {
    capabilities = ['exchange-token'];
    await offer();
    expect(JSON.stringify(offersTo(server))).not.toContain(MUST);
  });
});
