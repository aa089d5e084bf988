import { SecretText } from '../secret-text';
import { FederationRefused, type FederationRefusal } from '../wire/federation-refusal';
import { isClientOf, parseTokenRequest, tokenGranted, tokenRefused } from './token-request';

const MEMBERS = { grant_type: 'authorization_code', client_id: 'receiver.example', code: 'qX7tNn2cVb9LmPz4' };
const form = (changes: Record<string, string> = {}): string =>
  new URLSearchParams({ ...MEMBERS, ...changes }).toString();

describe('a request for an access token', () => {
  it.each([
    ['a form', form()],
    ['JSON', ` ${JSON.stringify(MEMBERS)}`],
    ['the grant of reva', form({ grant_type: 'ocm_share' })],
    ['a form with members that nobody asked for', `${form()}&redirect_uri=x&redirect_uri2=y`],
  ])('is read from %s', (_what, body) => {
    const request = parseTokenRequest(body);
    expect([request.client, request.secret.reveal()]).toEqual(['receiver.example', MEMBERS.code]);
    expect(JSON.stringify(request)).not.toContain(MEMBERS.code);
  });

  it.each([
    ['https://Receiver.Example/', 'receiver.example'],
    ['receiver.example:8443', 'receiver.example:8443'],
    ['https://receiver.example/cloud/', 'receiver.example/cloud'],
    ['[2001:DB8::1]:8443', '[2001:db8::1]:8443'],
  ])('of %s is one of %s', (clientId, client) => {
    expect(parseTokenRequest(form({ client_id: clientId })).client).toBe(client);
  });

  it.each<[string, string, FederationRefusal]>([
    ['nothing', '', 'fields-missing'],
    ['something else', '[]', 'fields-missing'],
    ['JSON that is none', '{"grant_type"', 'fields-missing'],
    ['no code', form({ code: '' }), 'fields-missing'],
    ['a member twice', `${form()}&code=other`, 'fields-missing'],
    ['more than is read', form({ state: 'x'.repeat(8192) }), 'fields-missing'],
    ['a long code', form({ code: 'x'.repeat(129) }), 'field-invalid'],
    ['a code with a break', form({ code: 'a\r\nb' }), 'field-invalid'],
    ['a list as its code', JSON.stringify({ ...MEMBERS, code: ['x'] }), 'field-invalid'],
    ['no host', form({ client_id: 'a b' }), 'field-invalid'],
    ['a path that climbs', form({ client_id: 'receiver.example/../x' }), 'field-invalid'],
    ['another grant', form({ grant_type: 'client_credentials' }), 'grant-unsupported'],
  ])('that has %s is refused', (_what, body, refusal) => {
    expect(() => parseTokenRequest(body)).toThrow(new FederationRefused(refusal));
  });
});

describe('a client', () => {
  it.each([
    ['receiver.example', 'receiver.example', true],
    ['receiver.example', 'receiver.example/cloud', true],
    ['receiver.example/cloud', 'receiver.example/cloud', true],
    ['receiver.example/other', 'receiver.example/cloud', false],
    ['receiver.example/cloud', 'receiver.example', false],
    ['receiver.example', 'receiver.example:8443', false],
    ['example', 'receiver.example', false],
    ['receiver.example.evil.example', 'receiver.example', false],
  ])('%s is the partner %s: %s', (client, partner, is) => {
    expect(isClientOf(client, partner)).toBe(is);
  });
});

describe('the answer', () => {
  it('to a granted exchange has the access token, its type and its lifetime', () => {
    expect(tokenGranted(new SecretText('at_x'), 900)).toEqual({
      status: 200,
      body: { access_token: 'at_x', token_type: 'Bearer', expires_in: 900 },
    });
  });

  it.each<[FederationRefusal, string]>([
    ['fields-missing', 'invalid_request'],
    ['field-invalid', 'invalid_request'],
    ['grant-unsupported', 'unsupported_grant_type'],
    ['secret-wrong', 'invalid_grant'],
    ['signature-wrong', 'invalid_client'],
    ['signature-missing', 'invalid_client'],
  ])('to %s is 400 %s', (refusal, error) => {
    expect(tokenRefused(new FederationRefused(refusal, 'detail'))).toEqual({ status: 400, body: { error } });
  });

  it('has no text of its own during a temporary failure', () => {
    expect(tokenRefused(new FederationRefused('temporarily-unavailable'))).toBeUndefined();
  });
});
