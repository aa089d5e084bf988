import { eventually, type SigningScheme } from '../../libs/testing/src';
import { surprisesOf, type Scene } from './hostile/attack';
import { CLAIMS, NOBODY, signerOf } from './hostile/claims';
import {
  asksOfContent,
  attackByContent,
  attackByKeys,
  attackByName,
  NAMES,
  PLACES,
} from './hostile/egress-attacks';
import { FORGERIES, reasonOf } from './hostile/forgeries';
import { setStage } from './hostile/hostile-stage';
import { HostileWorld } from './hostile/hostile-world';
import { REPLAYED, withOtherSignature } from './hostile/replays';
import { secretsIn, textsOf } from './hostile/search';
import { answersTo, BYTES, HIDDEN, statusesIn } from './hostile/smuggling';
import { TARGETS } from './hostile/targets';
import { FORBIDDEN, TestNetwork } from './hostile/test-network';
import { COMMON_SECRET, KEYS } from './hostile/wrong-keys';

const SCHEMES: readonly SigningScheme[] = ['cavage', 'es256'];
const EGRESS_TIMEOUT_MS = 60_000;
/** Prefixes of the secrets in attacks. */
const SENT_BY_ATTACKERS = ['SecretOf', 'TokenOfSomebody', 'GuessedSecret', 'GuessedInvitation'];

let network: TestNetwork;
let world: HostileWorld;
let scene: Scene;
beforeAll(async () => {
  network = await TestNetwork.start();
  world = await HostileWorld.start();
  scene = { world, prize: await setStage(world) };
  await world.keepTables();
}, 300_000);
afterAll(async () => {
  await world?.stop();
  await network?.close();
  jest.restoreAllMocks();
});

describe('a message in the name of a partner', () => {
  it.each(FORGERIES.map((forgery) => [forgery.name, forgery] as const))(
    '%s changes nothing, and is logged once',
    async (_name, forgery) => {
      const surprises: string[] = [];
      for (const [at, { name, request, isConfirmed }] of TARGETS.entries())
        // Both schemes for the first attack, and alternating ones for the others.
        for (const scheme of at === 0 ? SCHEMES : [SCHEMES[at % 2]!]) {
          if (isConfirmed && forgery.isUnsigned?.(scheme)) continue;
          const message = await forgery.forge(world, request(scene), scheme);
          const warning = { reason: reasonOf(forgery, scheme), partner: world.x.host };
          const found = await surprisesOf(scene, async () => (await world.send(message)).status, { warning });
          surprises.push(...found.map((one) => `${name}, ${scheme}: ${one}`));
        }
      expect(surprises).toEqual([]);
    },
  );
});

/** Waits until the worker has handled the effects of an accepted message, such as a notification. */
const effectsOfMessages = (): Promise<boolean> =>
  eventually('the effects', async () => (await world.people.query('SELECT 1 FROM share_event')).length === 0);

describe('a repeated message of a partner', () => {
  it.each(REPLAYED)('is refused by every replica: %s', async (_name, request) => {
    const surprises: string[] = [];
    for (const scheme of SCHEMES) {
      const message = await world.x.sign(request(scene), { scheme });
      const { status } = await world.send(message);
      expect([200, 201]).toContain(status);
      await effectsOfMessages();
      const warning = { reason: 'replayed', partner: world.x.host };
      const again = scheme === 'es256' ? [message, withOtherSignature(message)] : [message];
      for (const url of [world.url, world.replica.url])
        for (const one of again) {
          const attack = async (): Promise<number> => (await world.send(one, url)).status;
          surprises.push(...(await surprisesOf(scene, attack, { warning })));
        }
    }
    expect(surprises).toEqual([]);
  });
});

describe('a partner with valid signatures', () => {
  it.each(CLAIMS.map((claim) => [claim.name, claim] as const))('does not get %s', async (_name, claim) => {
    const { inNameOf, statuses } = claim;
    const message = await signerOf(scene, claim).sign(claim.request(scene), { scheme: 'es256' });
    const warning = inNameOf && { reason: 'wrong-signer', partner: world[inNameOf].host };
    const attack = async (): Promise<number> => (await world.send(message)).status;
    expect(await surprisesOf(scene, attack, { warning, statuses })).toEqual([]);
  });

  it.each(KEYS)('reads nothing with %s', async (_name, path, authorization) => {
    const attack = (): Promise<number> => world.open('PROPFIND', path(scene), authorization(scene));
    expect(await surprisesOf(scene, attack, { statuses: [401] })).toEqual([]);
  });

  it('does not get the common secret of a trusted server', async () => {
    const attack = (): Promise<number> => world.open('GET', COMMON_SECRET(scene));
    expect(await surprisesOf(scene, attack, { statuses: [403] })).toEqual([]);
  });
});

describe('an ambiguous or too large request', () => {
  it.each(BYTES)('is refused unread, together with a hidden one: %s', async (_name, reason, bytes) => {
    const attack = async (): Promise<number> => {
      const text = await answersTo(bytes, world.url);
      world.answers.push(text);
      const [status = 0, ...more] = statusesIn(text);
      return more.length === 0 ? status : NaN;
    };
    const warning = { reason };
    const statuses = [400, 413, 414, 431];
    expect(await surprisesOf(scene, attack, { warning, statuses, isUnheard: true })).toEqual([]);
  });

  it('would change something if its hidden request were handled', async () => {
    expect(statusesIn(await answersTo(HIDDEN, world.url))).toEqual([201]);
  });
});

describe('a partner with addresses elsewhere', () => {
  const expectNobodyReached = (): void => {
    expect([...network.dialled].filter((address) => address !== '127.0.0.1')).toEqual([]);
    expect(network.arrived).toBe(0);
  };

  it.each(NAMES)(
    'a federated cloud id with the host %s causes no request',
    async (...names) => {
      const [written, partner] = names.map((name) => name.replace('{port}', String(network.port)));
      expect(await attackByName(scene, written!, partner)).toEqual([]);
      expectNobodyReached();
    },
    EGRESS_TIMEOUT_MS,
  );

  it('a host whose address changes between check and use causes no request', async () => {
    const port = new URL(world.m.url).port;
    expect(await attackByName(scene, `rebinding.test:${port}`)).toEqual([]);
    expect(network.lookups('rebinding.test')).toBeGreaterThan(1);
    expectNobodyReached();
  });

  it.each(PLACES)(
    'an address of keys at %s is not called',
    async (_name, place) => {
      const before = world.y.requests.length;
      expect(await attackByKeys(scene, place(world, network))).toEqual([]);
      expect(world.y.requests.slice(before)).toEqual([]);
      expectNobodyReached();
    },
    EGRESS_TIMEOUT_MS,
  );

  // This test is after the others, because the share that alice accepts is reported and probed from here on.
  it.each(PLACES)(
    'endpoints for messages, tokens and content at %s are not called',
    async (_name, place) => {
      const before = world.y.requests.length;
      expect(await attackByContent(scene, place(world, network))).toEqual([]);
      expect(world.y.requests.slice(before)).toEqual([]);
      expectNobodyReached();
    },
    EGRESS_TIMEOUT_MS,
  );

  it('would be called at its own address', async () => {
    const asked = await asksOfContent(scene);
    expect(asked).toEqual(expect.arrayContaining(['POST /ocm/token', 'POST /ocm/notifications']));
  });

  it('the forbidden machine can be reached from here, so the test would see a request', async () => {
    const reply = fetch(`http://${FORBIDDEN}:${network.port}/`);
    await expect(reply).rejects.toThrow();
    expect([network.arrived, network.dialled.has(FORBIDDEN)]).toEqual([1, true]);
  });
});

// The last test, because it searches all traces of the others.
describe('after all attacks', () => {
  it('no secret is found in logs, queues and database; other values are', async () => {
    const texts = await textsOf(world);
    const secrets = [...scene.prize.secrets, ...SENT_BY_ATTACKERS];
    expect(secrets.length).toBeGreaterThanOrEqual(18);
    const named = {
      ...{ log: world.x.host, jobs: 'metadata.test', audit_event: world.x.host, tables: world.x.host },
      ...{ metrics: 'route="/ocm/notifications"', traces: 'take offer', answers: NOBODY },
    };
    expect(Object.keys(texts)).toEqual(Object.keys(named));
    for (const [place, text] of Object.entries(texts)) {
      expect([place, secretsIn(text, secrets)]).toEqual([place, []]);
      const name = named[place as keyof typeof named];
      expect([place, text.includes(name)]).toEqual([place, true]);
    }
    for (const secret of secrets) expect(secretsIn(`${texts.log}${secret}`, secrets)).toContain(secret);
  });
});
