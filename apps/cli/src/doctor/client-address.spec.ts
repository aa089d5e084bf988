import type { SeenClient } from '#platform';
import { judgeClientAddress } from './client-address';

const judged = (seen: Partial<SeenClient>, isBehindProxy = true) =>
  judgeClientAddress({ address: '', hops: [], claimed: [], ...seen }, isBehindProxy);

it('has no finding if the client’s address is the address that the outermost proxy saw', () => {
  expect(judged({ address: '203.0.113.7', hops: ['203.0.113.7', '10.9.9.9'] }).state).toBe('ok');
  const believed = { address: '203.0.113.7', hops: ['203.0.113.7', '10.0.0.5'], claimed: ['203.0.113.7'] };
  expect(judged(believed).state).toBe('ok');
  expect(judged({ address: '127.0.0.1' }, false).state).toBe('ok');
});

it.each([
  [{ address: '10.9.9.9', hops: ['203.0.113.7', '10.9.9.9'] }, 'Name 10.9.9.9 in TRUSTED_PROXIES'],
  [{ address: '10.0.0.1', hops: ['203.0.113.7'] }, 'Name 10.0.0.1 in TRUSTED_PROXIES'],
  [{ address: '10.0.0.1', hops: [] }, 'Have the proxy send X-Forwarded-For'],
  [
    { address: '10.0.0.5', hops: ['10.0.0.5'], claimed: ['203.0.113.7'] },
    'Name 10.0.0.5 in OUTER_PROXIES of docker-compose.yml',
  ],
])('warns of %j', (seen, advice) => {
  expect(judged(seen)).toMatchObject({
    subject: 'client addresses',
    state: 'warning',
    advice: expect.stringContaining(advice),
  });
});
