import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import {
  CloudIdInvalid,
  localCloudId,
  namesOf,
  parseCloudId,
  withUser,
  sameAccount,
} from './federated-cloud-id';
import { spellCloudId, type Spelling } from './spelling';

const VECTORS = readFileSync(join(__dirname, 'cloud-id-vectors.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split(' | '));

const vectorsWith = (columns: number): string[][] =>
  VECTORS.filter((vector) => vector.length === columns).map(([input = '', ...rest]) => [
    input.replaceAll('~', ' '),
    ...rest,
  ]);

function reasonOf(text: string): string {
  try {
    parseCloudId(text);
  } catch (error) {
    if (error instanceof CloudIdInvalid) return error.reason;
    throw error;
  }
  return 'none';
}

describe('a federated cloud id', () => {
  it('has only vectors of both kinds', () => {
    expect(vectorsWith(4).length + vectorsWith(3).length).toBe(VECTORS.length);
    expect(VECTORS.length).toBeGreaterThan(60);
  });

  it.each(vectorsWith(4))('%s is %s at %s', (input, user, canonical, scheme) => {
    expect(parseCloudId(input)).toMatchObject({
      user: user.normalize('NFC'),
      canonical: canonical.normalize('NFC'),
      scheme: scheme === '-' ? null : scheme,
      raw: input.trim(),
    });
  });

  it.each(vectorsWith(3))('%s is refused (%s %s)', (input, _mark, reason) => {
    expect(reasonOf(input)).toBe(reason);
  });

  it('is refused if it or its user is too long', () => {
    expect(reasonOf(`${'a'.repeat(4000)}@host`)).toBe('too-long');
    expect(reasonOf(`bob@${'a.'.repeat(300)}org`)).toBe('too-long');
    expect(reasonOf(`${'a'.repeat(256)}@host`)).toBe('user-invalid');
    expect(reasonOf(`bob@${'a.'.repeat(140)}org`)).toBe('host-invalid');
  });

  it.each(['bob\n@host', 'bob\0@host', 'bob@ho\u0007st', 'bob\u202e@host', '\ud800bob@host'])(
    'is refused with invisible characters (%j)',
    (input) => expect(reasonOf(input)).toBe('user-invalid'),
  );

  it('keeps the user as written, for servers that use it as the login name', () => {
    const id = parseCloudId('bob@a.org@a.org');
    expect([id.user, id.userAsWritten]).toEqual(['bob', 'bob@a.org']);
    expect(spellCloudId(id, 'as-written')).toBe('bob@a.org@a.org');
  });

  it('of our own accounts is made from the public address', () => {
    expect(localCloudId('alice', 'https://cloud.example.org/share').canonical).toBe(
      'alice@cloud.example.org/share',
    );
  });

  it.each<[string, Spelling, string]>([
    ['bob@host', 'as-written', 'bob@host'],
    ['bob@HTTP://Host:81/oc/', 'as-written', 'bob@http://host:81/oc'],
    ['bob@http://host:81', 'without-scheme', 'bob@host:81'],
    ['bob@host', 'with-scheme', 'bob@https://host'],
    ['bob@http://host', 'with-scheme', 'bob@http://host'],
    ['bob@https://host', 'scheme-unless-https', 'bob@host'],
    ['bob@http://host', 'scheme-unless-https', 'bob@http://host'],
    ['bob@https://host', 'scheme-with-port', 'bob@host'],
    ['bob@https://host:8443', 'scheme-with-port', 'bob@https://host:8443'],
  ])('%s is written %s as %s', (input, spelling, text) => {
    expect(spellCloudId(parseCloudId(input), spelling)).toBe(text);
  });

  it.each([
    ['bob@Host/', 'bob@https://host', true],
    ['bob@host', 'bob@http://host', true],
    ['bob@host', 'bob@host:443', true],
    ['bob@host', 'Bob@host', false],
    ['bob@host', 'bob@host:8443', false],
    ['bob@host/a', 'bob@host/A', false],
    ['bob@host', 'bob@host2', false],
  ])('%s and %s are the same: %s', (a, b, same) => {
    expect(sameAccount(parseCloudId(a), parseCloudId(b))).toBe(same);
  });

  it('may be compared without regard to the case of its user', () => {
    expect(sameAccount(parseCloudId('Bob@host'), parseCloudId('bob@host'), true)).toBe(true);
    expect(sameAccount(parseCloudId('Bob@host'), parseCloudId('ben@host'), true)).toBe(false);
  });
});

describe('any text', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc.stringMatching(/^[a-z@:/\\.[\]0-9?#% ]{0,30}$/),
  );

  it('is either a cloud id or refused', () => {
    fc.assert(
      fc.property(text, (input) => expect(typeof reasonOf(input)).toBe('string')),
      { numRuns: 2000 },
    );
  });

  const likely = fc
    .tuple(
      fc.stringMatching(/^[a-zB@.+ é-]{1,12}$/),
      fc.constantFrom('', 'http://', 'https://', 'HTTPS://'),
      fc.constantFrom('a', 'A.org', 'b@b', 'bücher.example', '[::1]', '1.2', 'a.'),
      fc.constantFrom('', ':1', ':80', ':443', ':8443'),
      fc.constantFrom('', '/', '/oc', '/p@a', '/index.php/s', '?q', '//', '/A/b/'),
    )
    .map(([name, scheme, place, port, tail]) => `${name}@${scheme}${place}${port}${tail}`);

  it('gives the same cloud id in every spelling', () => {
    const spellings: Spelling[] = ['as-written', 'with-scheme', 'scheme-unless-https', 'scheme-with-port'];
    fc.assert(
      fc.property(likely, fc.constantFrom(...spellings), (input, spelling) => {
        fc.pre(reasonOf(input) === 'none');
        const id = parseCloudId(input);
        expect(parseCloudId(id.canonical).canonical).toBe(id.canonical);
        // Without its scheme, port 80 is not the default port any more.
        fc.pre(id.scheme !== 'http' || spelling !== 'scheme-with-port');
        expect(parseCloudId(spellCloudId(id, spelling)).canonical).toBe(id.canonical);
      }),
      { numRuns: 2000 },
    );
  });

  const user = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._@+-]{0,20}$/).filter((name) => !name.endsWith('@'));
  const host = fc.stringMatching(/^[a-z][a-z0-9-]{0,10}\.(org|test)$/).filter((name) => !name.includes('-.'));

  it('made of a user and a host gives back both', () => {
    fc.assert(
      fc.property(user, host, fc.option(fc.integer({ min: 1, max: 65535 })), (name, place, port) => {
        fc.pre(!name.toLowerCase().endsWith(place));
        const id = parseCloudId(`${name}@${place.toUpperCase()}${port === null ? '' : `:${port}`}`);
        expect([id.user, id.host, id.port]).toEqual([name, place, port === 443 ? null : port]);
      }),
    );
  });
});

describe('the account in an encoded user id', () => {
  const UUID = 'b1f74ec4-dd7e-11ef-a543-03775734d0f7';
  const encoded = (text: string, encoding: 'base64' | 'base64url' = 'base64'): string =>
    Buffer.from(text).toString(encoding);

  it.each([
    ['as OpenCloud gives it', encoded(`${UUID}@https://cloud.example.org`), UUID],
    ['without padding', encoded(`${UUID}@https://cloud.example.org`, 'base64url'), UUID],
    ['without a scheme', encoded(`${UUID}@cloud.example.org`), UUID],
    ['of an identity provider elsewhere', encoded(`${UUID}@https://idp.example.org/`), UUID],
    ['with a name at the server itself', encoded('einstein@Cloud.Example.org'), 'einstein'],
  ])('is found %s', (_how, user, person) => {
    const id = parseCloudId(`${user}@cloud.example.org`);
    expect(id).toMatchObject({ user, person, canonical: `${person}@cloud.example.org` });
    expect(withUser(id, 'x').canonical).toBe('x@cloud.example.org');
  });

  it.each([
    ['a name', 'alice-in-wonderland'],
    ['a name of another server', encoded('einstein@other.example.org')],
    ['text without a server', encoded('nothing but text')],
    ['a path', encoded(`${UUID}@https://cloud.example.org/path`)],
  ])('is the user itself for %s', (_what, user) => {
    expect(parseCloudId(`${user}@cloud.example.org`)).toMatchObject({ user, person: user });
  });

  it('is searched among plain ids if it is a UUID, and not if it is a name', () => {
    const uuid = encoded(`${UUID}@https://cloud.example.org`);
    expect(namesOf(parseCloudId(`${uuid}@cloud.example.org`))).toEqual({
      users: [uuid, UUID],
      persons: [uuid, UUID],
    });
    const name = encoded('bob@cloud.example.org');
    expect(namesOf(parseCloudId(`${name}@cloud.example.org`))).toEqual({
      users: [name],
      persons: [name, 'bob'],
    });
  });
});
