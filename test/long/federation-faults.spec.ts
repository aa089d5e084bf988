import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '#testing';
import { startTestRedis, type TestRedis } from '../../libs/testing/src/rigs/redis-server';
import { PASSWORD } from '../edge/edge-client';
import { hurry, planFaults, strike, VICTIMS, type FaultRange, type Scene } from './faults';
import { Organisation, type Role } from './organisation';
import { CANARY, watchRedis, watchTables, type QueueWitness } from './queue-witness';
import { SecretSearch } from './secret-search';
import { seededRandom } from './seeded-random';
import { isRight, openMessages, readEnds, rightEnds } from './share-ends';
import { FATES, ShareStories } from './share-stories';
import { wrongMessages } from './wrong-messages';
import { isFullForm } from '../../libs/testing/src/full-form';

interface Size extends FaultRange {
  readonly files: number;
  readonly recipients: number;
  readonly ownerRoles: readonly Role[];
  /** Messages per second, and the time of one transfer, so that kills happen during transfers. */
  readonly perSecond: number;
  readonly wayMs: number;
  readonly limitMs: number;
}

const OWNER: readonly Role[] = ['share-api', 'federation-api', 'worker'];
const SIZES = {
  short: {
    files: 7,
    recipients: 3,
    ownerRoles: OWNER,
    times: 1,
    longestPauseMs: 800,
    longestAbsenceMs: 200,
    perSecond: 15,
    wayMs: 150,
    limitMs: 300_000,
  },
  full: {
    files: 100,
    recipients: 10,
    ownerRoles: [...OWNER, 'second worker'],
    times: 3,
    longestPauseMs: 2_500,
    longestAbsenceMs: 1_500,
    perSecond: 25,
    wayMs: 250,
    limitMs: 900_000,
  },
} as const satisfies Record<string, Size>;

const size: Size = isFullForm ? SIZES.full : SIZES.short;
const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
const BACKENDS = isFullForm ? (['Redis', 'Postgres'] as const) : (['Redis'] as const);
const QUEUES: readonly string[] = ['Redis', 'the recipients’ Redis'];

const files = Array.from({ length: size.files }, (_, at) => `/file-${at}.txt`);
const uids = Array.from({ length: size.recipients }, (_, at) => `bea${at}`);

const KNOWN = 'SELECT FROM peer WHERE profile IS NOT NULL';
const COUNTS = `SELECT count(*)::int AS messages, sum(round)::int AS rounds FROM outbox_message WHERE state = 'delivered'`;

describe.each(BACKENDS)('shares while every process is killed, jobs in %s', (backend) => {
  const random = seededRandom(seed);
  const redises: TestRedis[] = [];
  let owner: Organisation;
  let recipients: Organisation;
  let scene: Scene;
  let stories: ShareStories;
  let witnesses: readonly QueueWitness[];
  const startedAt = performance.now();

  beforeAll(async () => {
    process.stderr.write(`federation faults: SEED=${seed}\n`);
    if (backend === 'Redis')
      redises.push(await startTestRedis({ logged: true }), await startTestRedis({ logged: true }));
    const { wayMs } = size;
    [owner, recipients] = await Promise.all([
      Organisation.found({ roles: size.ownerRoles, redisUrl: redises[0]?.url, wayMs }, async (world) => {
        await world.addUser('alice');
        for (const file of files) await world.put('alice', file);
      }),
      Organisation.found({ roles: OWNER, redisUrl: redises[1]?.url, wayMs }, async (world) => {
        for (const uid of uids) await world.addUser(uid);
      }),
    ]);
    const limits = { concurrency: 16, perSecond: size.perSecond, burst: size.perSecond };
    await owner.outbox.addPeer(recipients.host, limits);
    await recipients.outbox.addPeer(owner.host, limits);
    const [one, other] = redises;
    witnesses = await Promise.all(
      one && other ? [one, other].map(watchRedis) : [owner, recipients].map(watchTables),
    );
    scene = { owner, recipients, redis: one && other && { owner: one, recipients: other }, random };
    stories = new ShareStories({ owner, recipients, files, uids, random });
  }, 300_000);
  afterAll(async () => {
    await Promise.all([owner.close(), recipients.close()]);
    await Promise.all(redises.map((redis) => redis.stop()));
  }, 300_000);

  const readQueues = async (secrets: Iterable<string>): Promise<SecretSearch> => {
    const search = new SecretSearch(secrets);
    for (const witness of witnesses) (await witness.read()).forEach((text) => search.read(text));
    return search;
  };
  const faults = planFaults(
    VICTIMS.filter((victim) => backend === 'Redis' || !QUEUES.includes(victim)),
    size,
    random,
  );

  it('finds a planted secret in each queue', async () => {
    for (const witness of witnesses) {
      const search = new SecretSearch([CANARY]);
      (await witness.read()).forEach((text) => search.read(text));
      expect([...search.found]).toEqual([CANARY]);
    }
  });

  it(
    'brings every share to its end',
    async () => {
      await Promise.all([owner.startAll(), recipients.startAll()]);
      const ending = new AbortController();
      const going = Promise.all([stories.goOn(ending.signal), hurry([owner, recipients], ending.signal)]);
      await strikeAll();
      const isOver = async (): Promise<boolean> => {
        if ((await openMessages(owner, recipients)) > 0) return false;
        const ends = await readEnds(owner, recipients);
        return [...stories.stories.values()].every((story) => isRight(story, ends(story.id)));
      };
      // Differences at the end are checked below.
      await eventually('the end of all stories', isOver, size.limitMs / 2).catch(() => undefined);
      ending.abort();
      await going;
    },
    size.limitMs,
  );

  /** Some shares are being transferred at every kill. */
  async function strikeAll(): Promise<void> {
    await stories.tell(1);
    // If a partner is unreachable at the first contact, its address counts as mistyped.
    await eventually('the first contact', async () => (await owner.outbox.query(KNOWN)).length > 0);
    for (const fault of faults) {
      const telling = stories.tell(Math.ceil(stories.size / faults.length));
      await pause(fault.afterMs);
      await strike(fault, scene);
      await telling;
    }
  }

  it('has each share at its recipient once, in the right state', async () => {
    expect(stories.stories.size).toBe(stories.size);
    const ends = await readEnds(owner, recipients);
    const wrong = [...stories.stories.values()].filter((story) => !isRight(story, ends(story.id)));
    expect(wrong.map((story) => [story, ends(story.id), rightEnds(story)])).toEqual([]);
    const [{ count }] = (await recipients.outbox.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM received_share WHERE provider_id <> ALL ($1)',
      [[...stories.stories.keys()]],
    )) as [{ count: number }];
    expect(count).toBe(0);
  });

  it('delivered every message once, in order for each share, and lost none', async () => {
    for (const { outbox } of [owner, recipients])
      expect(await wrongMessages(outbox, stories.stories)).toEqual([]);
  });

  it('never had a secret in a queue', async () => {
    const tokens = [...stories.stories.values()].map(({ token }) => token);
    expect(tokens.every((token) => /^[A-Za-z0-9]{22,32}$/.test(token))).toBe(true);
    const secrets = [...tokens, PASSWORD, owner.key, recipients.key];
    const search = await readQueues([...secrets, CANARY]);
    // The canary is still there, beside all later content.
    expect([...search.found]).toEqual([CANARY]);
    process.stderr.write(`${await account(search.charactersRead, secrets.length)}\n`);
  });

  async function account(charactersRead: number, secrets: number): Promise<string> {
    const counts = await Promise.all(
      [owner, recipients].map(({ outbox }) => outbox.query<{ messages: number; rounds: number }>(COUNTS)),
    );
    const total = (name: 'messages' | 'rounds'): number => counts.reduce((sum, [row]) => sum + row![name], 0);
    const fates = FATES.map((fate) => {
      const told = [...stories.stories.values()].filter((story) => story.fate === fate);
      return `${told.length} ${fate}`;
    });
    const kills = Map.groupBy(faults, ({ victim }) => victim);
    const struck = [...kills].map(([victim, all]) => `${victim} ${all.length}`);
    return [
      `federation faults, jobs in ${backend}: ${stories.size} shares (${fates.join('; ')})`,
      `${faults.length} kills (${struck.join(', ')})`,
      `${total('messages')} messages delivered, handed to a worker ${total('rounds')} times`,
      `${secrets} secrets looked for in ${(charactersRead / 1e6).toFixed(1)} MB of queues: the planted one found, no other`,
      `SEED=${seed}, ${((performance.now() - startedAt) / 1000).toFixed(0)} s`,
    ].join('; ');
  }
});
