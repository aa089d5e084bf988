import { Metrics } from '#platform';
import type { StandingSignIn } from '#identity';
import { PushHub, type EndOfPushes, type PushChannel } from './push-hub';
import type { ChangedNodes, PushSignal } from './push-signal';

class FakeChannel implements PushChannel {
  readonly sent: [PushSignal, ChangedNodes][] = [];
  ended: EndOfPushes | undefined;
  reads = true;
  isThere = true;

  send(signal: PushSignal, nodes: ChangedNodes): void {
    this.sent.push([signal, nodes]);
  }
  isFull(): boolean {
    return !this.reads;
  }
  beat(): boolean {
    return this.isThere;
  }
  end(why: EndOfPushes): void {
    this.ended = why;
  }
}

let hub: PushHub;
const as = (uid: string): StandingSignIn => ({ uid, evidence: { kind: 'token' } });

beforeEach(() => {
  jest.useFakeTimers();
  hub = new PushHub({ PUSH_CONNECTIONS: 100 }, new Metrics());
});
afterEach(() => {
  hub.onModuleDestroy();
  jest.useRealTimers();
});

function connect(uid: string): FakeChannel {
  const channel = new FakeChannel();
  expect(hub.add(as(uid), channel)).toBeDefined();
  return channel;
}

it('events of the same kind are merged, with all nodes, and go only to their account', () => {
  const [alice, bob] = [connect('alice'), connect('bob')];
  hub.mark('alice', 'file', [1, 2]);
  hub.mark('alice', 'file', [2, 3]);
  jest.advanceTimersByTime(100);
  expect([alice.sent, bob.sent]).toEqual([[['file', new Set([1, 2, 3])]], []]);
});

it('events of one kind are sent at most once a second, and none is lost', () => {
  const alice = connect('alice');
  hub.mark('alice', 'file', [1]);
  jest.advanceTimersByTime(100);
  for (let id = 2; id < 10; id += 1) hub.mark('alice', 'file', [id]);
  jest.advanceTimersByTime(800);
  expect(alice.sent).toHaveLength(1);
  jest.advanceTimersByTime(400);
  expect(alice.sent[1]).toEqual(['file', new Set([2, 3, 4, 5, 6, 7, 8, 9])]);
});

it('an event does not list nodes if there are too many', () => {
  const alice = connect('alice');
  for (let at = 0; at < 3; at += 1)
    hub.mark(
      'alice',
      'file',
      Array.from({ length: 400 }, (_, id) => at * 400 + id),
    );
  jest.advanceTimersByTime(100);
  expect(alice.sent).toEqual([['file', 'unknown']]);
});

it('a client that does not read gets one merged event later, and is disconnected after a minute', () => {
  const [slow, stuck] = [connect('alice'), connect('alice')];
  slow.reads = stuck.reads = false;
  for (const signal of ['file', 'notification', 'file'] as const) hub.mark('alice', signal);
  jest.advanceTimersByTime(50_000);
  expect(slow.sent).toEqual([]);
  slow.reads = true;
  jest.advanceTimersByTime(11_000);
  expect(slow.sent.map(([signal]) => signal)).toEqual(['file', 'notification']);
  expect([slow.ended, stuck.ended]).toEqual([undefined, 'unread']);
});

it('a client that disappeared is noticed within one round of all connections', () => {
  const [gone, there] = [connect('alice'), connect('alice')];
  gone.isThere = false;
  jest.advanceTimersByTime(31_000);
  expect([gone.ended, there.ended]).toEqual(['unread', undefined]);
});

it('an account has at most 64 connections, and the process has its own limit', () => {
  for (let at = 0; at < 64; at += 1) connect('alice');
  expect(hub.add(as('alice'), new FakeChannel())).toBeUndefined();
  for (let at = 0; at < 36; at += 1) connect(`other${at}`);
  expect([hub.isFull, hub.add(as('bob'), new FakeChannel())]).toEqual([true, undefined]);
});

it('each connection is checked twice a minute', () => {
  for (const uid of ['alice', 'bob', 'carol']) connect(uid);
  const seen: string[] = [];
  hub.onEachPass((connections) => seen.push(...[...connections].map(({ signIn }) => signIn.uid)));
  jest.advanceTimersByTime(30_000);
  expect(seen.sort()).toEqual(['alice', 'bob', 'carol']);
});

it('all connections end with the process, and no new ones are accepted', () => {
  const alice = connect('alice');
  hub.onModuleDestroy();
  expect([alice.ended, hub.isFull, hub.isEmpty]).toEqual(['closing', true, true]);
});
