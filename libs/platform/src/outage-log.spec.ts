import { createLogger } from './logging';
import { OutageLog } from './outage-log';

it('logs one line when an outage begins and one when it ends', () => {
  const lines: Record<string, unknown>[] = [];
  let now = 1_000;
  const logger = createLogger('info', { write: (line) => void lines.push(JSON.parse(line)) });
  const log = new OutageLog(logger, 'the queue', () => now);
  log.worked();
  for (let count = 0; count < 400; count++) log.failed(new Error('refused'), { queue: `queue-${count}` });
  expect(log.isUnderWay).toBe(true);
  now += 6_000;
  log.worked();
  log.worked();
  expect(lines).toMatchObject([
    { level: 40, msg: 'the queue cannot be reached', queue: 'queue-0', err: { message: 'refused' } },
    { level: 30, msg: 'the queue can be reached again', seconds: 6, failures: 400 },
  ]);
  log.failed(new Error('refused again'));
  expect(lines).toHaveLength(3);
});
