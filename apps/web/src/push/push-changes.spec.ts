import type { StandingSignIn, StandingSignIns } from '#identity';
import type { ChangeFeed, PushAudienceRepository, PushNewsRepository } from '#persistence';
import { createLogger, Metrics } from '#platform';
import { PushChanges } from './push-changes';
import { PushHub } from './push-hub';
import type { PushSignal } from './push-signal';

type ReadNews = Awaited<ReturnType<PushNewsRepository['read']>>;
const NOTHING: ReadNews = { news: [], position: { from: 1, seen: [] }, isComplete: true };

let hub: PushHub;
let changes: PushChanges;
/** Answers of the next readings. */
let answers: ReadNews[];
let calls: string[];
const heard: PushSignal[] = [];

const signIn: StandingSignIn = { uid: 'alice', evidence: { kind: 'token' } };
const channel = {
  send: (signal: PushSignal) => void heard.push(signal),
  isFull: () => false,
  beat: () => true,
  end: () => undefined,
};

beforeEach(() => {
  jest.useFakeTimers();
  hub = new PushHub({ PUSH_CONNECTIONS: 10 }, new Metrics());
  [answers, calls] = [[], []];
  heard.length = 0;
  const news = {
    begin: () => Promise.resolve(void calls.push('begin')).then(() => NOTHING.position),
    read: () => Promise.resolve(void calls.push('read')).then(() => answers.shift() ?? NOTHING),
  } as unknown as PushNewsRepository;
  const feed = { onChange: () => undefined, onGap: () => undefined } as unknown as ChangeFeed;
  const none = () => Promise.resolve([]);
  changes = new PushChanges(
    hub,
    feed,
    { ofNodes: none, ofGroups: none } as unknown as PushAudienceRepository,
    news,
    { ended: none } as unknown as StandingSignIns,
    createLogger('silent'),
  );
});
afterEach(() => {
  changes.onModuleDestroy();
  hub.onModuleDestroy();
  jest.useRealTimers();
});

const of = (topic: 'notices' | 'activity'): ReadNews => ({
  ...NOTHING,
  news: [{ writtenBy: 1, topic, key: 'alice' }],
});

async function connect(): Promise<() => void> {
  await changes.begin();
  const connection = hub.add(signIn, channel)!;
  return () => void hub.remove(connection);
}

it('are read while a client is connected, and no longer', async () => {
  await jest.advanceTimersByTimeAsync(60_000);
  expect(calls).toEqual([]);
  const leave = await connect();
  answers = [of('activity')];
  await jest.advanceTimersByTimeAsync(20_000);
  expect([calls[0], heard]).toEqual(['begin', ['activity']]);
  leave();
  await jest.advanceTimersByTimeAsync(1_000);
  calls.length = 0;
  await jest.advanceTimersByTimeAsync(60_000);
  expect(calls).toEqual([]);
  await connect();
  answers = [of('notices')];
  await jest.advanceTimersByTimeAsync(2_000);
  expect([calls[0], heard]).toEqual(['begin', ['activity', 'notification']]);
});

it('are replaced by a look at everything if some are left out', async () => {
  await connect();
  answers = [{ ...NOTHING, isComplete: false }];
  await jest.advanceTimersByTimeAsync(2_000);
  expect(heard.toSorted()).toEqual(['activity', 'file', 'notification']);
});

it('are replaced by a look at everything after a pause of the process, as news may have been deleted', async () => {
  await connect();
  await jest.advanceTimersByTimeAsync(2_000);
  expect(heard).toEqual([]);
  const now = performance.now();
  jest.spyOn(performance, 'now').mockImplementation(() => now + 31_000);
  await jest.advanceTimersByTimeAsync(300);
  jest.restoreAllMocks();
  expect(heard.toSorted()).toEqual(['activity', 'file', 'notification']);
});
