import { startGateway, type TestGateway } from '../../libs/testing/src';
import { cutChangeFeeds } from '../../libs/testing/src/rigs/change-feeds';
import { eventually } from '../../libs/testing/src/waiting';
import { EdgeClient, PASSWORD, type EdgeEnvelope } from './edge-client';

const SETTING = '/apps/provisioning_api/api/v1/config/apps/core/shareapi_default_permissions';
const ENTRY = '/cloud/capabilities/entries/notes';
const ME = '/cloud/user';

const gateways: TestGateway[] = [];
let here: EdgeClient;
let there: EdgeClient;

beforeAll(async () => {
  const env = { ENCRYPTION_KEY: 'ab'.repeat(32) };
  gateways.push(await startGateway({ env }));
  gateways.push(await startGateway({ env, databaseUrl: gateways[0]!.databaseUrl }));
  [here, there] = gateways.map((gateway) => new EdgeClient(gateway)) as [EdgeClient, EdgeClient];
  await here.makeUsers('alice', 'brian', 'carol', 'diana');
  await here.ocs('POST', '/cloud/groups', { form: { groupid: 'staff' } });
});
afterAll(async () => {
  for (const gateway of gateways.reverse()) await gateway.stop();
});

async function announced(client: EdgeClient) {
  const { data } = await client.ocs('GET', '/cloud/capabilities');
  return JSON.parse(JSON.stringify(data)).capabilities;
}

const codeOf = async (reply: Promise<EdgeEnvelope>): Promise<number> => (await reply).code;
const signIn = (client: EdgeClient, uid: string, password = PASSWORD): Promise<number> =>
  codeOf(client.ocs('GET', ME, { as: uid, password }));
/** A replica that does not hear of a change keeps its copy, so this never comes true there. */
const inForce = (what: string, condition: () => Promise<boolean>): Promise<true> =>
  eventually(what, condition) as Promise<true>;

interface Change {
  /** Loads the data that is about to change into the other replica's memory. */
  warmUp(): Promise<unknown>;
  make(): Promise<unknown>;
  isInForce(): Promise<boolean>;
}

const CHANGES: Readonly<Record<string, (round: string) => Change>> = {
  'a setting': (round) => ({
    warmUp: () => announced(there),
    make: () => here.ocs('POST', SETTING, { form: { value: round } }),
    isInForce: async () => (await announced(there)).files_sharing.default_permissions === Number(round),
  }),
  'a capability entry': (round) => ({
    warmUp: () => announced(there),
    make: () => here.ocs('PUT', ENTRY, { json: { notes: { round } } }),
    isInForce: async () => (await announced(there)).notes?.round === round,
  }),
  'a password': (round) => ({
    warmUp: () => signIn(there, 'alice', passwordBefore(round)),
    make: () =>
      here.ocs('PUT', '/cloud/users/alice', { form: { key: 'password', value: `password ${round}` } }),
    isInForce: async () => (await signIn(there, 'alice', passwordBefore(round))) === 997,
  }),
  'a membership': (round) => ({
    warmUp: () => there.ocs('GET', '/cloud/users', { as: 'brian' }),
    make: () =>
      here.ocs(Number(round) % 2 ? 'POST' : 'DELETE', '/cloud/users/brian/groups', {
        form: { groupid: 'admin' },
      }),
    isInForce: async () =>
      (await codeOf(there.ocs('GET', '/cloud/users', { as: 'brian' }))) === (Number(round) % 2 ? 100 : 997),
  }),
  'a disabled account': (round) => ({
    warmUp: () => signIn(there, 'carol'),
    make: () => here.ocs('PUT', `/cloud/users/carol/${Number(round) % 2 ? 'disable' : 'enable'}`),
    isInForce: async () => (await signIn(there, 'carol')) === (Number(round) % 2 ? 997 : 100),
  }),
};

const passwordBefore = (round: string): string =>
  round === '1' ? PASSWORD : `password ${Number(round) - 1}`;

describe.each(Object.keys(CHANGES))('%s that is changed on one replica', (name) => {
  it('takes effect on the other', async () => {
    const change = CHANGES[name]!('1');
    await change.warmUp();
    expect(await change.isInForce()).toBe(false);
    await change.make();
    await inForce(name, change.isInForce);
  });

  it('also takes effect if the connection for changes was cut', async () => {
    const change = CHANGES[name]!('2');
    await change.warmUp();
    expect(await change.isInForce()).toBe(false);
    expect(await cutChangeFeeds(gateways[0]!.databaseUrl)).toBeGreaterThan(0);
    await change.make();
    await inForce(name, change.isInForce);
  });

  it('takes effect again after that', async () => {
    const change = CHANGES[name]!('3');
    await change.warmUp();
    await change.make();
    await inForce(name, change.isInForce);
  });
});

describe('a user who is removed on one replica', () => {
  it('cannot sign in on the other', async () => {
    expect(await signIn(there, 'diana')).toBe(100);
    await here.ocs('DELETE', '/cloud/users/diana');
    await inForce('the removal', async () => (await signIn(there, 'diana')) === 997);
  });
});

describe('maintenance that begins on one replica', () => {
  it('closes the other', async () => {
    const { url } = gateways[1]!;
    await here.ocs('POST', '/apps/provisioning_api/api/v1/config/apps/system/maintenance', {
      form: { value: 'yes' },
    });
    await inForce('maintenance', async () => (await fetch(`${url}/ocs/v1.php${ME}`)).status === 503);
  });
});
