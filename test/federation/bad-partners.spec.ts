import { Database } from '#persistence';
import { eventually, startMisbehaving, startOwnCloud, type FakePartner, type FakeServer } from '#testing';
import type { MisbehavingOptions, Misbehaviour } from '../../libs/testing/src/partners';
import { FederationOutbox } from '../../libs/testing/src/rigs/federation-outbox';
import { hostOf, OutgoingWorld, recordOf } from './outgoing-world';

/** Longer than any answer takes, and shorter than the time limit for missing answers. */
const SYNC_WAIT = '8s';
/** Bytes that are read of one answer, including the buffers of the system. */
const BYTES_AT_MOST = 8 * 1024 * 1024;
/** Four addresses of discovery, each with one redirect. */
const QUESTIONS_AT_MOST = 8;

/** First result of an offer: the record for its initiator, or the text of the refusal. */
type FirstSight =
  | {
      readonly state: 'delivered' | 'retrying';
      readonly error: string | null;
      /** Seconds that the partner requested. */
      readonly notBefore?: number;
    }
  /** The caller waits without success; the result is recorded later. */
  | { readonly state: 'pending'; readonly error: string }
  | { readonly refused: RegExp };

const taken = { state: 'delivered', error: null } as const;
const again = (error: string): FirstSight => ({ state: 'retrying', error });
const later = (error: string, seconds: number): FirstSight => ({
  state: 'retrying',
  error,
  notBefore: seconds,
});
const inVain = (error: string): FirstSight => ({ state: 'pending', error });
const NOT_FOUND = { refused: /^Sharing .* failed, could not find/ } as const;

const CASES: readonly [Required<MisbehavingOptions>['at'], Misbehaviour, FirstSight][] = [
  ['messages', 'hang', inVain('timeout')],
  ['messages', 'slow bytes', inVain('timeout')],
  ['messages', 'hangs up', again('reset')],
  ['messages', 'half an answer', again('reset')],
  ['messages', '100 MB with 200', again('too-large')],
  ['messages', '100 MB with 201', taken],
  ['messages', 'decompression bomb', again('too-large')],
  ['messages', '10,000 headers', again('too-large')],
  ['messages', 'invalid JSON with 200', again('it answers as another kind of server')],
  ['messages', 'HTML with 200', again('it answers as another kind of server')],
  ['messages', '200 with {}', taken],
  ['messages', '201 with an empty array', taken],
  ['messages', '500 with a page', again('partner-error')],
  ['messages', '501', { refused: /^Federated Sharing failed: not here$/ }],
  ['messages', '429 with Retry-After', later('limited', 120)],
  ['messages', '503 with Retry-After', later('partner-error', 30)],
  ['messages', '301', again('it answers from elsewhere')],
  ['messages', 'repeats the secret', { refused: /\[secret\]/ }],
  ['discovery', 'hang', inVain('timeout')],
  ['discovery', 'slow bytes', inVain('timeout')],
  ['discovery', 'hangs up', again('reset')],
  ['discovery', '100 MB with 200', again('too-large')],
  ['discovery', 'decompression bomb', again('too-large')],
  ['discovery', '10,000 headers', again('too-large')],
  ['discovery', 'invalid JSON with 200', NOT_FOUND],
  ['discovery', 'HTML with 200', NOT_FOUND],
  ['discovery', '201 with an empty array', NOT_FOUND],
  ['discovery', '500 with a page', again('partner-error')],
  ['discovery', '501', NOT_FOUND],
  ['discovery', '429 with Retry-After', again('limited')],
  ['discovery', '503 with Retry-After', again('partner-error')],
  ['discovery', '301', NOT_FOUND],
];
const HEALTHY_OFFERS = 5;

const ATTEMPTS = `SELECT max(o.attempts) AS attempts FROM outbox_message o JOIN peer p ON p.id = o.peer_id WHERE p.host_key = $1`;

/** One bad partner, and the offer that it got. */
interface Encounter {
  readonly file: string;
  readonly server: FakeServer;
  readonly offeredAtSeconds: number;
  /** Code, text and record for the caller. */
  readonly code: number;
  readonly message: string | null;
  readonly record: Record<string, unknown>;
}

let world: OutgoingWorld;
let database: Database;
let outbox: FederationOutbox;
let healthy: FakePartner;
const encounters = new Map<string, Encounter>();
/** Offers that were answered, in order. */
const answered: string[] = [];
const healthyRecords: Record<string, unknown>[] = [];

const labelOf = (at: string, kind: Misbehaviour): string => `${kind} at ${at}`;
const met = (at: string, kind: Misbehaviour): Encounter => encounters.get(labelOf(at, kind))!;

async function meet([at, kind]: (typeof CASES)[number]): Promise<void> {
  const server = await startMisbehaving(kind, { at });
  const file = `${at}, ${kind.replaceAll(/[^A-Za-z0-9 ]/g, '')}.txt`;
  const offeredAtSeconds = Date.now() / 1000;
  const envelope = await world.offer(file, `bea@${hostOf(server)}`);
  answered.push(labelOf(at, kind));
  // Only the first attempt is observed.
  await outbox.query('UPDATE peer SET paused = true WHERE host_key = $1', [hostOf(server)]);
  const { code, message } = envelope;
  const record = code === 100 ? recordOf(envelope) : {};
  encounters.set(labelOf(at, kind), { file, server, offeredAtSeconds, code, message, record });
}

async function offerToHealthy(): Promise<void> {
  for (let at = 0; at < HEALTHY_OFFERS; at++) {
    healthyRecords.push(recordOf(await world.offer(`good-${at}.txt`, `bea@${hostOf(healthy)}`)));
    answered.push('healthy');
  }
}

/** Partners that answer slowly during the other tests, and one that answers immediately. */
beforeAll(async () => {
  world = await OutgoingWorld.start({
    FEDERATION_SYNC_WAIT: SYNC_WAIT,
    FEDERATION_OFFER_TIMEOUT: '10s',
  });
  const url = world.sharing.gateway.databaseUrl;
  database = await Database.connect({ url, poolSize: 1, applicationName: 'bad partners' });
  outbox = new FederationOutbox(database);
  healthy = await startOwnCloud();
  const isSlow = ([, kind]: (typeof CASES)[number]): boolean => kind === 'hang' || kind === 'slow bytes';
  const meetQuickOnes = async (): Promise<void> => {
    await offerToHealthy();
    for (const one of CASES.filter((each) => !isSlow(each))) await meet(one);
  };
  await Promise.all([...CASES.filter(isSlow).map(meet), meetQuickOnes()]);
}, 300_000);
afterAll(async () => {
  await database.close();
  await world.stop();
  await Promise.all([healthy, ...[...encounters.values()].map(({ server }) => server)].map(closeOne));
});
const closeOne = (server: FakeServer): Promise<void> => server.close();

describe('an offer to a partner that does this', () => {
  it.each(CASES)('%s: %s', async (at, kind, first) => {
    const { code, message, record, server, file, offeredAtSeconds } = met(at, kind);
    if ('refused' in first) {
      expect([code, message]).toEqual([403, expect.stringMatching(first.refused)]);
      expect(await world.list({ path: `/${file}` })).toEqual([]);
    } else {
      expect([code, record.delivery_state]).toEqual([100, first.state]);
      const state = first.state === 'pending' ? 'retrying' : first.state;
      const settled = await world.settled(record.id, { delivery_state: state });
      expect(settled).toMatchObject({ delivery_error: first.error, acceptance: 'unknown' });
      const next = first.state === 'delivered' ? null : expect.any(Number);
      expect(settled.delivery_next_attempt).toEqual(next);
      if ('notBefore' in first)
        expect(settled.delivery_next_attempt).toBeGreaterThanOrEqual(
          Math.floor(offeredAtSeconds + first.notBefore!),
        );
    }
    const [{ attempts }] = (await outbox.query<{ attempts: number }>(ATTEMPTS, [hostOf(server)])) as [
      { attempts: number },
    ];
    // No message is repeated at once, and none is sent before discovery has an answer.
    expect(server.seen('POST')).toHaveLength(at === 'messages' ? attempts : 0);
    expect(server.seen('GET').length).toBeLessThanOrEqual(QUESTIONS_AT_MOST * attempts);
    expect(server.sent()).toBeLessThan(BYTES_AT_MOST * server.requests.length);
  });

  it('does not delay deliveries to other partners', () => {
    const states = healthyRecords.map((record) => [record.delivery_state, record.delivery_attempts]);
    expect(states).toEqual(Array.from({ length: HEALTHY_OFFERS }, () => ['delivered', 1]));
    const slow = answered.indexOf(labelOf('messages', 'hang'));
    expect(answered.lastIndexOf('healthy')).toBeLessThan(slow);
    expect(healthy.taken).toHaveLength(HEALTHY_OFFERS);
  });

  it('is recorded without its secret', async () => {
    const rows =
      await outbox.query(`SELECT a.*, o.payload, o.reply, o.error_message, p.profile, p.discovery_error
      FROM outbox_message o JOIN peer p ON p.id = o.peer_id LEFT JOIN delivery_attempt a ON a.message_id = o.id`);
    expect(rows.length).toBeGreaterThanOrEqual(CASES.length);
    const text = JSON.stringify(rows);
    const tokens = [...encounters.values()].map(({ record }) => String(record.token));
    expect(tokens.filter((token) => text.includes(token))).toEqual([]);
  });
});

describe('a partner that recovers', () => {
  const back = new Map<string, FakePartner>();

  beforeAll(async () => {
    for (const [label, { server }] of encounters) {
      await server.close();
      back.set(label, await startOwnCloud({ port: server.port }));
    }
    await outbox.query('UPDATE peer SET paused = false');
    await outbox.letTimePass();
  }, 120_000);
  afterAll(() => Promise.all([...back.values()].map(closeOne)));

  it.each(CASES)(
    '%s, %s: gets the share once, but not the refused or ended ones',
    async (at, kind, first) => {
      const { record } = met(at, kind);
      const { taken: arrived } = back.get(labelOf(at, kind))!;
      if ('refused' in first || first.state === 'delivered') {
        expect(arrived).toEqual([]);
        return;
      }
      const settled = await world.settled(record.id, { delivery_state: 'delivered' });
      expect(settled).toMatchObject({ delivery_error: null, delivery_next_attempt: null });
      expect(arrived).toEqual([{ dialect: 'ocm', providerId: record.id, recipient: 'bea' }]);
    },
  );
});

describe('a partner that became another website', () => {
  it('is tried five times; then its share is given up, and the initiator is notified', async () => {
    const server = await startMisbehaving('HTML with 200');
    const { id } = recordOf(await world.offer('parked.txt', `bea@${hostOf(server)}`));
    const record = await eventually('the end of the tries', async () => {
      await outbox.letPausesPass();
      const share = await world.sharing.readShare('alice', id);
      return share.delivery_state === 'dead' ? share : undefined;
    });
    expect(record).toMatchObject({ delivery_attempts: 5, delivery_next_attempt: null });
    expect(server.seen('POST')).toHaveLength(5);
    expect(await world.notifications()).toContainEqual(
      expect.objectContaining({
        object_type: 'federated_share',
        object_id: id,
        subject: expect.stringContaining('could not be delivered') as string,
      }),
    );
    await server.close();
  });
});

describe('a recipient of 4,000 characters', () => {
  it.each([
    ['in its name', (host: string) => `${'b'.repeat(4_000)}@${host}`],
    ['in its host', () => `bea@${'h'.repeat(4_000)}.example.org`],
    ['in its path', (host: string) => `bea@${host}/${'p/'.repeat(2_000)}`],
  ])('%s is not a federated cloud id, and no server is called', async (_where, write) => {
    const before = healthy.requests.length;
    const { code } = await world.offer('long.txt', write(hostOf(healthy))).catch(async () => {
      // The file exists since the previous case.
      const form = { path: '/long.txt', shareType: '6', shareWith: write(hostOf(healthy)) };
      return world.ask('POST', '', form);
    });
    expect(code).toBe(403);
    expect(await world.list({ path: '/long.txt' })).toEqual([]);
    expect(healthy.requests).toHaveLength(before);
  });
});
