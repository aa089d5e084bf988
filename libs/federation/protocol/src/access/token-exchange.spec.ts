import { SecretText } from '../secret-text';
import { exchangeForm, readExchange } from './token-exchange';

it('sends the secret as a code', () => {
  expect(exchangeForm('receiver.example:8443', new SecretText('a&b')).reveal()).toBe(
    'grant_type=authorization_code&client_id=receiver.example%3A8443&code=a%26b',
  );
});

describe('the answer to an exchange', () => {
  it.each([
    [{ access_token: 't', token_type: 'Bearer', expires_in: 3600 }, 3_600_000],
    [{ access_token: 't' }, 300_000],
    [{ access_token: 't', token_type: 'bearer', expires_in: 0 }, 300_000],
    [{ access_token: 't', expires_in: 1e12 }, 86_400_000],
  ])('%j gives a token', (answer, validMs) => {
    const outcome = readExchange(200, JSON.stringify(answer));
    expect(outcome).toEqual({ kind: 'granted', token: expect.any(SecretText), validMs });
    expect(JSON.stringify(outcome)).not.toContain('"t"');
  });

  it.each([
    [200, '{"access_token":"a\\r\\nb"}', 'not-understood'],
    [200, '{"access_token":""}', 'not-understood'],
    [200, `{"access_token":"${'x'.repeat(8193)}"}`, 'not-understood'],
    [200, '{"access_token":"t","token_type":"mac"}', 'not-understood'],
    [200, '<html>', 'not-understood'],
    [302, '{"access_token":"t"}', 'not-understood'],
    [400, '{"error":"invalid_grant"}', 'denied'],
    [400, '{"error":"invalid_client"}', 'trouble'],
    [400, '{"error":"unauthorized_client"}', 'trouble'],
    [400, '{"error":"invalid_request"}', 'not-understood'],
    [400, '{"access_token":"t"}', 'not-understood'],
    [400, 'no', 'not-understood'],
    [401, '', 'denied'],
    [403, '', 'denied'],
    [429, '', 'trouble'],
    [500, '{"error":"server_error"}', 'trouble'],
  ])('%i %s means: %s', (status, body, kind) => {
    expect(readExchange(status, body).kind).toBe(kind);
  });
});
