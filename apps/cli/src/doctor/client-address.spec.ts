import { judgeClientAddress } from './client-address';

it('is content where the address of the client is the one that the outermost proxy saw', () => {
  expect(judgeClientAddress({ address: '203.0.113.7', hops: ['203.0.113.7', '10.9.9.9'] }, true).state).toBe(
    'ok',
  );
  expect(judgeClientAddress({ address: '127.0.0.1', hops: [] }, false).state).toBe('ok');
});

it.each([
  [{ address: '10.9.9.9', hops: ['203.0.113.7', '10.9.9.9'] }, 'Name 10.9.9.9 in TRUSTED_PROXIES'],
  [{ address: '10.0.0.1', hops: ['203.0.113.7'] }, 'Name 10.0.0.1 in TRUSTED_PROXIES'],
  [{ address: '10.0.0.1', hops: [] }, 'Have the proxy send X-Forwarded-For'],
])('warns of %j', (seen, advice) => {
  expect(judgeClientAddress(seen, true)).toMatchObject({
    subject: 'client addresses',
    state: 'warning',
    advice: expect.stringContaining(advice),
  });
});
