import { createLogger, readConfig } from '#platform';
import type { DeliverMessage } from '#queue';
import { eventually } from '../../../../libs/testing/src/waiting';
import { DeliveryProcessor, placeLimits } from './delivery.processor';

const messagesOf = (ids: number[]) => ids.map((messageId) => ({ messageId, round: 1 }));

function processorOf(run: (messageId: number) => Promise<void>, places = '10'): DeliveryProcessor {
  const deliver = {
    run: ({ messageId }: { messageId: number }) => run(messageId),
  } as unknown as DeliverMessage;
  return new DeliveryProcessor(deliver, readConfig({ DELIVERY_CONCURRENCY: places }), createLogger('silent'));
}

it('lets attempts wait beside the places for others, but not at more partners than leave connections for others', () => {
  expect(placeLimits(10).withoutPlace).toBe(400);
  expect(placeLimits(50).withoutPlace).toBe(2000);
  expect(placeLimits(500).withoutPlace).toBe(2000);
});

it('attempts all messages of a job at once, and fails with the first failure when all have ended', async () => {
  let release = (): void => undefined;
  const gate = new Promise<void>((open) => (release = open));
  const started: number[] = [];
  let isOver = false;
  const processor = processorOf(async (messageId) => {
    started.push(messageId);
    if (messageId === 2) throw new Error('the database is away');
    await gate;
  });
  const job = processor.process({ v: 2, messages: messagesOf([1, 2, 3]) }).finally(() => (isOver = true));
  const failure = expect(job).rejects.toThrow('the database is away');
  await eventually('all attempts', () => started.length === 3);
  expect(isOver).toBe(false);
  release();
  await failure;
});

it('never makes more attempts at once than it has places', async () => {
  const releases: (() => void)[] = [];
  const processor = processorOf(() => new Promise((done) => releases.push(done)), '2');
  const jobs = [
    [1, 2, 3],
    [4, 5],
  ].map((ids) => processor.process({ v: 2, messages: messagesOf(ids) }));
  for (let done = 0; done < 5; done++) {
    await eventually('an attempt', () => releases.length > done);
    expect(releases.length).toBeLessThanOrEqual(done + 2);
    releases[done]!();
  }
  await Promise.all(jobs);
});
