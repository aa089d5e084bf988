import { SecretText } from '../secret-text';
import { acceptanceBody, parseAcceptedInvitation, readAcceptanceAnswer } from './accepted-invitation';
import { hostAt, invitationText, readInvitation, readInvitationText } from './invitation-text';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('an invitation as text', () => {
  it.each([
    ['https://cloud.example.org', 'cloud.example.org'],
    ['https://cloud.example.org:8443/share', 'cloud.example.org:8443/share'],
    ['http://127.0.0.1:8080', '127.0.0.1:8080'],
  ])('of %s names %s, and is read back', (publicUrl, host) => {
    const text = invitationText('abcDEF123', publicUrl);
    expect(text).toBe(Buffer.from(`abcDEF123@${host}`).toString('base64url'));
    expect(hostAt(publicUrl)).toBe(host);
    const read = readInvitationText(` ${text}\n`);
    expect([read!.token.reveal(), read!.hostKey]).toEqual(['abcDEF123', host]);
  });

  it('is read with the tokens of other products, split at the last @', () => {
    const read = readInvitationText(base64('3e45d802-4edb-4a5c-bd3a-4df21953997c@Cloud.Example.org'));
    expect([read!.token.reveal(), read!.hostKey]).toEqual([
      '3e45d802-4edb-4a5c-bd3a-4df21953997c',
      'cloud.example.org',
    ]);
  });

  it('is read with a token that contains @, with padding and without', () => {
    const text = base64('a@b@cloud.example.org');
    for (const written of [text, text.replaceAll('=', '')])
      expect(readInvitationText(written)?.token.reveal()).toBe('a@b');
  });

  it.each([
    '',
    'no base64!',
    base64('no-separator'),
    base64('@host'),
    base64('token@'),
    base64('a b@host'),
    'A'.repeat(2000),
  ])('%s is no invitation', (text) => {
    expect(readInvitationText(text)).toBeUndefined();
  });

  it.each([
    ['', 'cloud.example.org'],
    ['abc', ''],
    ['abc', 'a b'],
    ['a'.repeat(129), 'cloud.example.org'],
    ['a\nb', 'cloud.example.org'],
  ])('neither is token %j with host %j', (token, host) => {
    expect(readInvitation(token, host)).toBeUndefined();
  });
});

describe('an acceptance', () => {
  it.each([
    ['cloud.example.org', 'bob', 'bob@cloud.example.org'],
    ['https://cloud.example.org/', 'bob', 'bob@cloud.example.org'],
    ['cloud.example.org', 'bob@cloud.example.org', 'bob@cloud.example.org'],
    ['http://127.0.0.1:19300', 'bob2', 'bob2@127.0.0.1:19300'],
  ])('from %s by %s is by %s', (recipientProvider, userID, canonical) => {
    expect(parseAcceptedInvitation({ recipientProvider, userID, token: 'abc' }).person.canonical).toBe(
      canonical,
    );
  });

  it('is written and read in the same form', () => {
    const person = { userId: 'bob', email: 'bob@example.org', name: 'Bob' };
    const body = acceptanceBody(new SecretText('abc'), 'cloud.example.org', person).reveal();
    expect(parseAcceptedInvitation(JSON.parse(body))).toMatchObject({
      email: 'bob@example.org',
      name: 'Bob',
    });
  });

  it.each([
    [undefined],
    [{}],
    [{ token: 'abc', userID: 'bob' }],
    [{ token: 'a b', userID: 'bob', recipientProvider: 'h' }],
  ])('%j is no acceptance', (body) => {
    expect(() => parseAcceptedInvitation(body)).toThrow();
  });

  it.each([
    [200, '{"userID":"alan","email":"a@b","name":"Alan"}', 'alan@cloud.example.org'],
    [201, '{"userID":"alan@cloud.example.org"}', 'alan@cloud.example.org'],
    [200, '{"userID":"YjFm=="}', 'YjFm==@cloud.example.org'],
  ])('answered with %i %s is of %s', (status, text, canonical) => {
    const answer = readAcceptanceAnswer(status, text, 'cloud.example.org');
    expect(answer.kind === 'accepted' && answer.inviter.canonical).toBe(canonical);
  });

  it.each([
    [200, '', 'not-understood'],
    [200, '{}', 'not-understood'],
    [200, '{"userID":"a/b"}', 'not-understood'],
    [302, '', 'not-understood'],
    [400, '', 'unknown'],
    [401, '', 'not-trusted'],
    [403, '', 'not-trusted'],
    [404, '', 'unknown'],
    [409, '', 'used'],
    [429, '', 'unreachable'],
    [503, '', 'unreachable'],
  ])('answered with %i %s is refused: %s', (status, text, reason) => {
    expect(readAcceptanceAnswer(status, text, 'cloud.example.org')).toEqual({ kind: 'refused', reason });
  });
});
