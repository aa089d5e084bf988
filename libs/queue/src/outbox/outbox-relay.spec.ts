import { createLogger } from '#platform';
import type { DispatchedMessage, QueuedMessage, Search } from '#persistence';
import { eventually } from '../../../testing/src/waiting';
import type { NewJob } from '../jobs/job-queues';
import { OutboxRelay, type DispatchSource } from './outbox-relay';

/** An outbox that returns its messages in portions. */
class Source implements DispatchSource {
  portions: QueuedMessage[][] = [];
  moreInMs: number | null = null;
  returned: DispatchedMessage[] = [];
  looks = 0;

  readonly searches: Search[] = [];
  rest: Search = { peers: [], after: null };

  async dispatch(_leaseMs: number, search: Search) {
    this.looks++;
    this.searches.push(search);
    const { rest, moreInMs } = this;
    return { messages: this.portions.shift() ?? [], limited: [], rest, moreInMs };
  }
  async giveBack(messages: readonly DispatchedMessage[]): Promise<void> {
    this.returned.push(...messages);
  }
  async reclaim(): Promise<number> {
    return 0;
  }
}

const HOUR = 3_600_000;

function started(
  source: Source,
  add: (ids: string[], jobs: readonly NewJob<'delivery'>[]) => Promise<void>,
  pollMs = HOUR,
) {
  let announce: (topic: string, key: string) => void = () => undefined;
  const relay = new OutboxRelay(
    source,
    {
      add: async (_queue, jobs) =>
        add(
          jobs.map((job) => job.id),
          jobs as readonly NewJob<'delivery'>[],
        ),
    },
    { onChange: (listener) => (announce = listener), onGap: () => undefined },
    createLogger('silent'),
    { pollMs },
  );
  relay.start();
  return { relay, announce: (topic: string, key = '') => announce(topic, key) };
}

it('passes on waiting messages of the outbox at its start and after each write', async () => {
  const source = new Source();
  source.portions = [[{ messageId: 4, round: 2, origin: null }]];
  const added: string[] = [];
  const { relay, announce } = started(source, async (ids) => void added.push(...ids));
  await eventually('the first message', () => added.length === 1);
  source.portions = [[{ messageId: 5, round: 1, origin: null }]];
  announce('setting');
  announce('outbox');
  await eventually('the second message', () => added.length === 2);
  expect(added).toEqual(['message-4-2', 'message-5-1']);
  await relay.stop();
});

it('puts up to ten messages into a job', async () => {
  const source = new Source();
  source.portions = [
    Array.from({ length: 23 }, (_, index) => ({ messageId: index + 1, round: 1, origin: null })),
  ];
  const jobs: NewJob<'delivery'>[] = [];
  const { relay } = started(source, async (_ids, added) => void jobs.push(...added));
  await eventually('all jobs', () => jobs.length === 3);
  expect(jobs.map(({ id }) => id)).toEqual(['message-1-1', 'message-11-1', 'message-21-1']);
  expect(jobs.map(({ job }) => job.messages.length)).toEqual([10, 10, 3]);
  expect(jobs.flatMap(({ job }) => job.messages.map(({ messageId }) => messageId))).toEqual(
    Array.from({ length: 23 }, (_, index) => index + 1),
  );
  await relay.stop();
});

it('gives back messages that the queue does not accept', async () => {
  const source = new Source();
  source.portions = [[{ messageId: 4, round: 1, origin: null }]];
  const { relay } = started(source, async () => {
    throw new Error('Redis is away');
  });
  await eventually('the message to come back', () => source.returned.length === 1);
  await relay.stop();
});

it('polls by itself, earlier if more messages have to be written', async () => {
  const source = new Source();
  source.moreInMs = 1;
  const { relay } = started(source, async () => undefined);
  await eventually('several looks', () => source.looks > 3);
  await relay.stop();
  const after = source.looks;
  relay.wake();
  expect(source.looks).toBe(after);
});

it('looks at the partners of an announcement only', async () => {
  const source = new Source();
  const { relay, announce } = started(source, async () => undefined);
  await eventually('the first look', () => source.looks === 1);
  expect(source.searches).toEqual([{ peers: [], after: 0 }]);
  announce('outbox', '7,9');
  relay.wake([9, 11]);
  await eventually('their look', () => source.searches.some(({ peers }) => peers.length > 0));
  await eventually('all three', () => new Set(source.searches.flatMap(({ peers }) => peers)).size === 3);
  expect(source.searches.slice(1).every(({ after }) => after === null)).toBe(true);
  await relay.stop();
});
