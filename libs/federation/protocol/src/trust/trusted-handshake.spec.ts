import { readAskAnswer, readHandshakeCall, readSecretAnswer } from './trusted-handshake';

describe('a call of the handshake', () => {
  it.each([
    ['https://Cloud.Example.org', 'cloud.example.org'],
    ['https://cloud.example.org/owncloud/', 'cloud.example.org/owncloud'],
    ['http://cloud.example.org:8080', 'cloud.example.org:8080'],
    ['cloud.example.org', 'cloud.example.org'],
  ])('of %s is from %s', (url, hostKey) => {
    const call = readHandshakeCall({ url, token: 'abcdefghijklmnop' });
    expect(call).toMatchObject({ hostKey });
    expect(call!.token.reveal()).toBe('abcdefghijklmnop');
  });

  it.each([
    [{}],
    [{ url: 'https://cloud.example.org' }],
    [{ token: 'abc' }],
    [{ url: 'https://cloud.example.org', token: 'a b' }],
    [{ url: 'https://cloud.example.org', token: 'a'.repeat(129) }],
    [{ url: 'https://a@b@c', token: 'abc' }],
    [{ url: ['https://cloud.example.org'], token: 'abc' }],
    [undefined],
  ])('%j is no call of the handshake', (fields) => {
    expect(readHandshakeCall(fields)).toBeUndefined();
  });
});

it.each([
  [200, 'will-fetch'],
  [403, 'will-ask'],
  [401, 'later'],
  [404, 'later'],
  [503, 'later'],
])('an answer %i to a request means %s', (status, meaning) => {
  expect(readAskAnswer(status)).toBe(meaning);
});

describe('the answer with the secret', () => {
  const envelope = (data: unknown): string => JSON.stringify({ ocs: { meta: { statuscode: 200 }, data } });

  it('contains the secret', () => {
    const answer = readSecretAnswer(200, envelope({ sharedSecret: 's'.repeat(32) }));
    expect(answer.kind === 'secret' && answer.secret.reveal()).toBe('s'.repeat(32));
  });

  it.each([
    [403, '', 'refused'],
    [401, '', 'refused'],
    [500, '', 'later'],
    [200, envelope([]), 'later'],
    [200, envelope({ sharedSecret: 'with space' }), 'later'],
    [200, 'no json', 'later'],
  ])('is no secret with %i %s: %s', (status, text, kind) => {
    expect(readSecretAnswer(status, text)).toEqual({ kind });
  });
});
