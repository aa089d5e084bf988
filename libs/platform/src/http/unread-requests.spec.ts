import { createLogger } from '../logging';
import { UnreadRequests } from './unread-requests';

it('logs refused requests, with a limit for each minute', () => {
  const lines: { reason: string; address: string; msg: string }[] = [];
  const logger = createLogger('warn', { write: (line) => void lines.push(JSON.parse(line)) });
  let now = 0;
  const unread = new UnreadRequests(logger, () => now);
  for (let count = 0; count < 1000; count++) unread.note('HPE_HEADER_OVERFLOW', '192.0.2.1');
  expect(lines).toHaveLength(60);
  expect(lines[0]).toMatchObject({ reason: 'HPE_HEADER_OVERFLOW', address: '192.0.2.1' });
  expect([lines[58]!.msg, lines[59]!.msg]).toEqual([
    'a request was refused unread',
    'a request was refused unread, and those that follow within this minute',
  ]);
  now = 60_000;
  unread.note('too-large', '192.0.2.1');
  expect(lines).toHaveLength(61);
});

it('logs a client that left in the middle at level info', () => {
  const lines: { level: number; msg: string }[] = [];
  const logger = createLogger('info', { write: (line) => void lines.push(JSON.parse(line)) });
  const unread = new UnreadRequests(logger);
  unread.note('HPE_INVALID_EOF_STATE', '192.0.2.1');
  unread.note('HPE_INVALID_METHOD', '192.0.2.1');
  expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
    [30, 'a client left in the middle of a request'],
    [40, 'a request was refused unread'],
  ]);
});
