import { basicAuth, startGateway, type TestGateway } from '../../libs/testing/src';
import { EdgeClient, PASSWORD, readEnvelope, type EdgeEnvelope } from './edge-client';

const USERS = ['alice', 'brian', 'carol', 'diana'];
const REMOTE = '198.51.100.7';

interface World {
  readonly gateway: TestGateway;
  readonly client: EdgeClient;
}

async function start(env: Record<string, string>): Promise<World> {
  const gateway = await startGateway({ env });
  const client = new EdgeClient(gateway);
  await client.makeUsers(...USERS);
  return { gateway, client };
}

async function signIn(world: World, uid: string, password: string, forwardedFor = ''): Promise<EdgeEnvelope> {
  const forwarded: Record<string, string> = forwardedFor === '' ? {} : { 'x-forwarded-for': forwardedFor };
  const headers = { authorization: basicAuth(uid, password), ...forwarded };
  return readEnvelope(await world.client.send({ target: '/ocs/v2.php/cloud/user?format=json', headers }));
}

const codeOf = async (...how: Parameters<typeof signIn>): Promise<number> => (await signIn(...how)).code;

async function guess(
  world: World,
  uid: string,
  forwardedFor: (attempt: number) => string,
  times = 10,
): Promise<void> {
  for (let attempt = 0; attempt < times; attempt++)
    expect(await codeOf(world, uid, `guess ${attempt}`, forwardedFor(attempt))).toBe(997);
}

describe('behind a trusted proxy', () => {
  let world: World;

  beforeAll(async () => {
    world = await start({ TRUSTED_PROXIES: '127.0.0.0/8,10.0.0.0/8' });
  });
  afterAll(() => world.gateway.stop());

  it('ten wrong passwords from one address are followed by 429 in an envelope, with Retry-After', async () => {
    await guess(world, 'alice', () => REMOTE);
    for (const version of [1, 2]) {
      const reply = readEnvelope(
        await world.client.send({
          target: `/ocs/v${version}.php/cloud/users`,
          headers: { authorization: basicAuth('alice', 'wrong'), 'x-forwarded-for': REMOTE },
        }),
      );
      expect(reply).toMatchObject({
        http: 429,
        status: 'failure',
        code: 429,
        message: 'Too many failed attempts',
      });
      expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
      expect(Number(reply.headers['retry-after'])).toBeLessThanOrEqual(300);
    }
  });

  it('wrong passwords from one address do not lock users out at other addresses', async () => {
    await guess(world, 'brian', () => REMOTE);
    expect(await codeOf(world, 'brian', PASSWORD, REMOTE)).toBe(429);
    expect(await codeOf(world, 'brian', PASSWORD, '203.0.113.5')).toBe(200);
    expect(await codeOf(world, 'carol', PASSWORD, REMOTE)).toBe(200);
  });

  it('a client that signed in before is not affected', async () => {
    expect(await codeOf(world, 'diana', PASSWORD, REMOTE)).toBe(200);
    await guess(world, 'diana', () => REMOTE);
    expect(await codeOf(world, 'diana', 'wrong', REMOTE)).toBe(429);
    expect(await codeOf(world, 'diana', PASSWORD, REMOTE)).toBe(200);
  });

  it('the address comes from the last trusted proxy, for any claim of the client', async () => {
    await guess(world, 'carol', (attempt) => `192.0.2.${attempt}, 198.51.100.99, 10.0.0.1`);
    expect(await codeOf(world, 'carol', 'wrong', '192.0.2.200, 198.51.100.99')).toBe(429);
    expect(await codeOf(world, 'carol', 'wrong', '198.51.100.98')).toBe(997);
  });
});

describe('behind proxies that TRUSTED_PROXIES does not name', () => {
  let world: World;

  beforeAll(async () => {
    world = await start({});
  });
  afterAll(() => world.gateway.stop());

  it('wrong passwords of one client do not lock out another', async () => {
    await guess(world, 'alice', () => REMOTE);
    expect(await codeOf(world, 'alice', PASSWORD, REMOTE)).toBe(429);
    expect(await codeOf(world, 'alice', PASSWORD, '203.0.113.5')).toBe(200);
  });

  it('the client’s address comes from the nearest of them, for any claim of the client', async () => {
    await guess(world, 'brian', (attempt) => `192.0.2.${attempt}, ${REMOTE}`);
    expect(await codeOf(world, 'brian', PASSWORD, `192.0.2.200, ${REMOTE}`)).toBe(429);
  });

  it('a client without a forwarded address counts by its own', async () => {
    await guess(world, 'carol', () => '');
    expect(await codeOf(world, 'carol', PASSWORD)).toBe(429);
    expect(await codeOf(world, 'carol', PASSWORD, REMOTE)).toBe(200);
  });
});

describe('more passwords than the process can verify', () => {
  let world: World;

  beforeAll(async () => {
    world = await start({ PASSWORD_QUEUE: '8', TRUSTED_PROXIES: '127.0.0.1' });
  });
  afterAll(() => world.gateway.stop());

  it('further sign-ins get a time to try again, in an envelope, without a penalty', async () => {
    const address = (index: number): string => `192.0.2.${index}`;
    const busy = new Map<number, Awaited<ReturnType<typeof signIn>>>();
    // Each attempt has a different password, so that no answer comes from memory. If a machine verifies forty attempts
    // faster than they arrive, another round follows.
    for (let storm = 0; storm < 20 && busy.size === 0; storm += 1) {
      const attempts = Array.from({ length: 40 }, async (_, index) => {
        const reply = await signIn(world, 'alice', `wrong-${storm}-${index}`, address(index));
        expect([997, 429, 503]).toContain(reply.code);
        if (reply.code === 503) busy.set(index, reply);
      });
      await Promise.all(attempts);
    }
    expect(busy.size).toBeGreaterThan(0);
    for (const [index, reply] of busy) {
      expect(reply).toMatchObject({ http: 503, status: 'failure', message: 'Service unavailable' });
      expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
      expect(await codeOf(world, 'alice', PASSWORD, address(index))).toBe(200);
    }
  });

  it('one account that changes the passwords of links does not block other sign-ins', async () => {
    const shares = '/apps/files_sharing/api/v1/shares';
    await world.client.send({
      method: 'MKCOL',
      target: '/remote.php/webdav/public',
      headers: { authorization: basicAuth('diana', PASSWORD) },
    });
    const form = { path: '/public', shareType: '3', password: PASSWORD };
    const link = await world.client.ocs('POST', shares, { as: 'diana', form });
    const { id } = link.data as { id: string };
    let ended = false;
    const flood = Array.from({ length: 20 }, async (_, index) => {
      const codes: number[] = [];
      do {
        const change = { as: 'diana', form: { password: `another-one-${index}-${codes.length}` } };
        codes.push((await world.client.ocs('PUT', `${shares}/${id}`, change)).code);
      } while (!ended);
      return codes;
    });
    const others = ['alice', 'brian', 'carol'].flatMap((uid) =>
      ['203.0.113.1', '203.0.113.2'].map((address) => codeOf(world, uid, PASSWORD, address)),
    );
    const signedIn = await Promise.all(others);
    ended = true;
    const changed = (await Promise.all(flood)).flat();
    expect(new Set(signedIn)).toEqual(new Set([200]));
    expect(new Set(changed)).toEqual(new Set([100, 503]));
  });
});
