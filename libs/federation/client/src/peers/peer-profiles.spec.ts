import { PeerRepository, type PeerRow } from '#persistence';
import {
  createTestDatabase,
  ownCloudDocument,
  replyJson,
  startFakeServer,
  type FakeServer,
  type TestDatabase,
} from '#testing';
import ipaddr from 'ipaddr.js';
import { DiscoveryClient } from '../discovery/discovery-client';
import { GuardedClient } from '../egress/guarded-client';
import { PeerProfiles } from './peer-profiles';

let test: TestDatabase;
let peers: PeerRepository;
let profiles: PeerProfiles;
let client: GuardedClient;
let server: FakeServer;
let peer: PeerRow;
/** The server's answer to discovery. */
let status: number;

beforeAll(async () => {
  test = await createTestDatabase();
  peers = new PeerRepository(test.database);
  client = new GuardedClient({
    rules: { allowHttp: true, allowAddresses: [ipaddr.parseCIDR('127.0.0.0/8')] },
  });
});
afterAll(async () => {
  await client.close();
  await test.drop();
});
beforeEach(async () => {
  status = 200;
  profiles = new PeerProfiles(peers, new DiscoveryClient(client, true));
  server = await startFakeServer((request, response) => {
    const isOcm = request.path === '/ocm-provider/';
    replyJson(response, isOcm || status !== 200 ? status : 404, ownCloudDocument(`${server.url}/ocm`));
  });
  peer = await peers.ensure(`127.0.0.1:${server.port}`);
});
afterEach(() => server.close());

const of = async (): Promise<unknown> => profiles.of((await peers.findById(peer.id))!);
const isPartner = expect.objectContaining({ kind: 'partner' }) as unknown;
const expire = (): Promise<void> => peers.expireProfile(peer.id);
const query = (sql: string, values: unknown[]): Promise<unknown> =>
  test.database.dataSource.query(sql, values);

it('discovers a partner once during the lifetime of the result', async () => {
  expect(await Promise.all([of(), of(), of()])).toEqual([isPartner, isPartner, isPartner]);
  const asked = server.requests.length;
  expect(await of()).toEqual(isPartner);
  expect(server.requests).toHaveLength(asked);
  await expire();
  expect(await of()).toEqual(isPartner);
  expect(server.requests).toHaveLength(2 * asked);
});

it.each([
  [500, { kind: 'inconclusive', errorClass: 'partner-error', isNew: true }],
  [404, { kind: 'no-partner', isNew: true }],
])('does not immediately ask a server again that just answered %i', async (answer, failure) => {
  status = answer;
  expect(await of()).toEqual(failure);
  const asked = server.requests.length;
  expect(await of()).toEqual(failure);
  expect(server.requests).toHaveLength(asked);
  status = 200;
  await query(`UPDATE peer SET discovery_failed_until = now() WHERE id = $1`, [peer.id]);
  expect(await of()).toEqual(isPartner);
});

it('uses the known profile of a failing partner, and does not ask it each time', async () => {
  await of();
  await expire();
  status = 500;
  expect(await of()).toEqual(isPartner);
  const asked = server.requests.length;
  expect(await of()).toEqual(isPartner);
  expect(server.requests).toHaveLength(asked);
});

it('reports a server that is no longer a partner', async () => {
  await of();
  await expire();
  status = 404;
  for (let time = 1; time <= 2; time++) expect(await of()).toEqual({ kind: 'no-partner', isNew: false });
});

it('asks on demand, even after a recent failure', async () => {
  status = 500;
  await of();
  status = 200;
  await profiles.discover(peer.hostKey, AbortSignal.timeout(10_000));
  expect(await of()).toEqual(isPartner);
});

it('does not repeat a discovery that another process just made', async () => {
  const learn = (): Promise<void> => profiles.learn(peer.hostKey, AbortSignal.timeout(10_000));
  await learn();
  const asked = server.requests.length;
  expect(asked).toBeGreaterThan(0);
  await learn();
  expect(server.requests).toHaveLength(asked);
  await expire();
  await learn();
  expect(server.requests.length).toBeGreaterThan(asked);
});

it('asks a server that just failed again for a caller that sets a limit of its own', async () => {
  status = 500;
  await of();
  status = 200;
  const row = (await peers.findById(peer.id))!;
  expect(await profiles.of(row)).toMatchObject({ kind: 'inconclusive' });
  expect(await profiles.of(row, { persistent: true })).toEqual(isPartner);
});

it('uses the profile of an operator, and asks nothing', async () => {
  await of();
  await query(
    'UPDATE peer SET pinned_profile = profile, profile = NULL, profile_expires_at = NULL WHERE id = $1',
    [peer.id],
  );
  const asked = server.requests.length;
  expect(await of()).toEqual(isPartner);
  expect(server.requests).toHaveLength(asked);
});

it('records no failure of a partner if the caller gave up', async () => {
  const row = (await peers.findById(peer.id))!;
  await profiles.of(row, { signal: AbortSignal.abort() });
  expect(await of()).toEqual(isPartner);
});
