import fc from 'fast-check';
import { FederationRefused, type FederationRefusal } from './federation-refusal';
import { parseLegacyOffer, parseOcmOffer } from './share-offer';

const NOW = new Date('2026-01-01T00:00:00Z');
const OFFER = {
  shareWith: 'marie@cloud2.example.org',
  name: 'plan.txt',
  providerId: '4711',
  owner: 'albert@https://cloud1.example.org',
  ownerDisplayName: 'Albert',
  sender: 'albert@https://cloud1.example.org',
  senderDisplayName: 'Albert',
  shareType: 'user',
  resourceType: 'file',
  protocol: { name: 'webdav', options: { sharedSecret: 'qX7tNn2cVb9LmPz4Kd3R' } },
};
const WEBDAV = {
  uri: 'https://cloud1.example.org/dav/ocm/4711',
  sharedSecret: 'qX7tNn2cVb9LmPz4Kd3R',
  permissions: ['read', 'write'],
};
const MULTI = { ...OFFER, resourceType: 'folder', protocol: { name: 'multi', options: {}, webdav: WEBDAV } };
const requiring = (requirements: unknown) => ({ protocol: { webdav: { ...WEBDAV, requirements } } });
const FORM = {
  shareWith: 'marie',
  token: 'qX7tNn2cVb9LmPz4Kd3R',
  name: 'plan.txt',
  remoteId: '4711',
  owner: 'albert',
  remote: 'https://cloud1.example.org/',
};
function refusalOf(action: () => unknown): [FederationRefusal, string] | 'taken' {
  try {
    action();
  } catch (error) {
    if (error instanceof FederationRefused) return [error.refusal, error.detail];
    throw error;
  }
  return 'taken';
}

describe('an offer by OCM', () => {
  it('in the form of 1.0 has neither kind nor permissions', () => {
    const offer = parseOcmOffer(OFFER, NOW);
    expect(offer).toMatchObject({
      dialect: 'ocm-webdav',
      recipientId: 'marie',
      kind: 'unknown',
      permissions: null,
      webdavUri: null,
      providerId: '4711',
    });
    expect(offer.sharedSecret.reveal()).toBe('qX7tNn2cVb9LmPz4Kd3R');
    expect(offer.owner.canonical).toBe('albert@cloud1.example.org');
  });

  it.each([
    ['http://cloud1.example.org:8080/dav/ocm/4711', 'alice@cloud1.example.org:8080', 'http'],
    ['https://cloud1.example.org:8080/dav/ocm/4711', 'alice@cloud1.example.org:8080', null],
    ['http://other.example.org:8080/dav/ocm/4711', 'alice@cloud1.example.org:8080', null],
    ['http://cloud1.example.org:8080/dav/ocm/4711', 'alice@https://cloud1.example.org:8080', 'https'],
    ['4711', 'alice@cloud1.example.org:8080', null],
  ])('of %s by %s is of a server at %s', (uri, owner, scheme) => {
    const webdav = { ...WEBDAV, uri };
    const offer = parseOcmOffer({ ...MULTI, owner, sender: owner, protocol: { name: 'multi', webdav } }, NOW);
    expect([offer.owner.scheme, offer.sender.scheme]).toEqual([scheme, scheme]);
  });

  it('in the form of 1.1 has both', () => {
    const offer = parseOcmOffer({ ...MULTI, expiration: 1_798_675_200 }, NOW);
    expect(offer).toMatchObject({
      dialect: 'ocm-multi',
      kind: 'folder',
      permissions: 15,
      webdavUri: WEBDAV.uri,
      expiresAt: 1_798_675_200,
    });
    expect(parseOcmOffer({ ...MULTI, resourceType: 'file' }, NOW).permissions).toBe(3);
    expect(parseOcmOffer({ ...MULTI, permissions: 31 }, NOW).permissions).toBe(31);
    expect(parseOcmOffer({ ...MULTI, permissions: ['read'] }, NOW).permissions).toBe(15);
  });

  it('may have a web application beside its files, or nothing else', () => {
    const webapp = {
      ...{ uri: 'https://hub.example.org/app?of=1', targets: ['iframe', 'blank'], appName: 'Hub' },
      ...{ permissions: ['dance', 'write', 'view'], requirements: ['must-exchange-token', 'must-use-mfa'] },
      sharedSecret: 'qX7tNn2cVb9LmPz4Kd3S',
    };
    const both = parseOcmOffer({ ...MULTI, protocol: { ...MULTI.protocol, webapp } }, NOW);
    expect(both).toMatchObject({ hasFiles: true, requirements: webapp.requirements, permissions: 15 });
    expect(both.webapp).toMatchObject({ uri: webapp.uri, permissions: ['view', 'write'], appName: 'Hub' });
    expect(both.webapp!.sharedSecret.reveal()).toBe(webapp.sharedSecret);
    expect(both.sharedSecret.reveal()).toBe(WEBDAV.sharedSecret);
    const alone = parseOcmOffer({ ...MULTI, protocol: { name: 'webapp', webapp } }, NOW);
    expect(alone).toMatchObject({ hasFiles: false, webdavUri: null, permissions: 15, dialect: 'ocm-multi' });
    expect(alone.sharedSecret.reveal()).toBe(webapp.sharedSecret);
    expect(JSON.stringify([both, alone])).not.toContain(webapp.sharedSecret);
  });

  it.each([
    ['a number as id', { providerId: 4711 }, { providerId: '4711' }],
    [
      'sharedBy in its place (older Nextcloud)',
      { sender: undefined, sharedBy: 'ben@x.test' },
      { sender: { user: 'ben' } },
    ],
    [
      'no display names (OpenCloud)',
      { ownerDisplayName: '', senderDisplayName: null },
      { ownerDisplayName: '' },
    ],
    ['0 for no expiry (OpenCloud)', { expiration: 0 }, { expiresAt: null }],
    ['null for no expiry', { expiration: null }, { expiresAt: null }],
    ['an expiry as text', { expiration: '1798675200' }, { expiresAt: 1_798_675_200 }],
    ['a group', { shareType: 'group' }, { shareType: 'group', recipientId: 'marie' }],
    ['a federation', { shareType: 'federation' }, { shareType: 'federation' }],
    ['a foreign host of the recipient', { shareWith: 'marie@other.test' }, { recipientId: 'marie' }],
    [
      'a recipient whose name is an address',
      { shareWith: 'marie@mail.test@cloud2.example.org' },
      { recipientId: 'marie@mail.test' },
    ],
    [
      'the older name of the address (OpenCloud 0.1)',
      { protocol: { webdav: { ...WEBDAV, uri: undefined, url: '/x' } } },
      { webdavUri: '/x' },
    ],
    [
      'members that we do not use',
      { protocol: { ...MULTI.protocol, webapp: { viewMode: '' } }, x: [] },
      { dialect: 'ocm-multi' },
    ],
    [
      'unknown words',
      { protocol: { webdav: { ...WEBDAV, permissions: ['read', 'fly', 1, '__proto__'] } } },
      { permissions: 1 },
    ],
    [
      'a requirement',
      { protocol: { webdav: { ...WEBDAV, requirements: ['must-exchange-token'] } } },
      { requirements: ['must-exchange-token'] },
    ],
    [
      'a requirement beside the secret of OCM 1.0',
      { protocol: { ...OFFER.protocol, webdav: { requirements: ['must-use-mfa'] } } },
      { dialect: 'ocm-webdav', requirements: ['must-use-mfa'] },
    ],
  ])('bears %s', (_what, change, expected) => {
    expect(parseOcmOffer({ ...OFFER, ...change }, NOW)).toMatchObject(expected);
  });

  it.each<[string, object, FederationRefusal, string?]>([
    ['no name', { name: undefined }, 'fields-missing', 'name'],
    ['an empty name', { name: '' }, 'fields-missing', 'name'],
    ['several fields missing', { name: null, owner: null }, 'fields-missing', 'name,owner'],
    ['a path as name', { name: 'a/b' }, 'name-invalid'],
    ['a way out as name', { name: '..' }, 'name-invalid'],
    ['a backslash in the name', { name: 'a\\b' }, 'name-invalid'],
    ['an endless name', { name: 'x'.repeat(256) }, 'field-invalid', 'name'],
    ['a control character', { name: 'a\u0000' }, 'field-invalid', 'name'],
    ['half a character', { name: 'a\ud800' }, 'field-invalid', 'name'],
    ['an object as name', { name: {} }, 'field-invalid', 'name'],
    [
      'an endless name of the owner',
      { ownerDisplayName: 'x'.repeat(257) },
      'field-invalid',
      'ownerDisplayName',
    ],
    ['a name of two lines', { senderDisplayName: 'Albert\nA.' }, 'field-invalid', 'senderDisplayName'],
    ['an endless id', { providerId: '1'.repeat(256) }, 'field-invalid', 'providerId'],
    ['an endless address', { owner: `a@${'x'.repeat(600)}` }, 'field-invalid', 'owner'],
    ['an owner without a host', { owner: 'albert' }, 'field-invalid', 'owner'],
    ['a recipient without a host', { shareWith: 'marie' }, 'recipient-unknown', ''],
    ['requirements that are no list', requiring('must-use-mfa'), 'field-invalid', 'requirements'],
    ['a requirement that is no word', requiring([{}]), 'field-invalid', 'requirements'],
    ['a long requirement', requiring(['x'.repeat(65)]), 'field-invalid', 'requirements'],
    ['too many requirements', requiring(Array(33).fill('a')), 'field-invalid', 'requirements'],
    ['no sender', { sender: undefined }, 'fields-missing', 'sender'],
    ['an empty sender', { sender: '', sharedBy: '' }, 'fields-missing', 'sender'],
    ['an expiry in the past', { expiration: 1_767_225_600 }, 'field-invalid', 'expiration'],
    ['a negative expiry', { expiration: -1 }, 'field-invalid', 'expiration'],
    ['an expiry that is no number', { expiration: 'soon' }, 'field-invalid', 'expiration'],
    ...[[], '', {}, [1]].map((permissions): [string, object, FederationRefusal, string] => [
      `permissions that are ${JSON.stringify(permissions)}`,
      { protocol: { webdav: { ...WEBDAV, permissions } } },
      'field-invalid',
      'permissions',
    ]),
    ['others', { shareType: 'constellation' }, 'share-type-unsupported', 'constellation'],
    ['calendars', { resourceType: 'calendar' }, 'resource-type-unsupported', 'calendar'],
    [
      'another protocol',
      { protocol: { name: 'ssh', options: { sharedSecret: 'x' } } },
      'protocol-unsupported',
      'ssh',
    ],
    ['no protocol', { protocol: null }, 'protocol-missing', ''],
    ['no secret', { protocol: { name: 'webdav', options: {} } }, 'protocol-missing', ''],
    [
      'a secret with a space',
      { protocol: { name: 'webdav', options: { sharedSecret: 'a b' } } },
      'field-invalid',
      'sharedSecret',
    ],
    [
      'an endless secret',
      { protocol: { name: 'webdav', options: { sharedSecret: 'x'.repeat(129) } } },
      'field-invalid',
      'sharedSecret',
    ],
  ])('is refused with %s', (_what, change, refusal, detail = '') => {
    expect(refusalOf(() => parseOcmOffer({ ...OFFER, ...change }, NOW))).toEqual([refusal, detail]);
  });
});

describe('an offer in the legacy dialect', () => {
  it('is read with the necessary fields', () => {
    expect(parseLegacyOffer(FORM)).toMatchObject({
      dialect: 'legacy',
      recipientId: 'marie',
      owner: { canonical: 'albert@cloud1.example.org', scheme: 'https' },
      sender: { canonical: 'albert@cloud1.example.org' },
      kind: 'unknown',
    });
  });

  it('can name another sender', () => {
    const offer = parseLegacyOffer({ ...FORM, sharedBy: 'ben', sharedByFederatedId: 'ben@third.test' });
    expect(offer.sender.canonical).toBe('ben@third.test');
    expect(parseLegacyOffer({ ...FORM, sharedBy: 'albert', sharedByFederatedId: 'albert' }).sender.user).toBe(
      'albert',
    );
  });

  it('keeps the scheme of the server if its cloud ids have none', () => {
    const form = {
      ...FORM,
      remote: 'http://127.0.0.1:8080/owncloud/',
      ownerFederatedId: 'albert@127.0.0.1:8080/owncloud',
    };
    const { owner, sender } = parseLegacyOffer({
      ...form,
      sharedBy: 'ben',
      sharedByFederatedId: 'ben@127.0.0.1:8080/owncloud',
    });
    for (const account of [owner, sender]) expect(account.scheme).toBe('http');
    expect(owner.canonical).toBe('albert@127.0.0.1:8080/owncloud');
    const elsewhere = parseLegacyOffer({ ...form, sharedBy: 'ben', sharedByFederatedId: 'ben@third.test' });
    expect(elsewhere.sender.scheme).toBeNull();
  });

  it('is refused if the owner is at another server', () => {
    const form = { ...FORM, ownerFederatedId: 'albert@evil.test' };
    expect(refusalOf(() => parseLegacyOffer(form))).toEqual(['field-invalid', 'ownerFederatedId']);
  });

  it.each(Object.keys(FORM))('is refused without %s', (field) => {
    expect(refusalOf(() => parseLegacyOffer({ ...FORM, [field]: undefined }))).toEqual([
      'fields-missing',
      field,
    ]);
  });
});

describe('an offer with any content', () => {
  const json = fc.jsonValue({ maxDepth: 5 });
  const nearly = fc
    .tuple(fc.constantFrom(...Object.keys(OFFER)), json)
    .map(([field, value]) => ({ ...OFFER, [field]: value }));

  it('is either an offer or refused', () => {
    fc.assert(
      fc.property(fc.oneof(json, nearly), (body) => void refusalOf(() => parseOcmOffer(body, NOW))),
      { numRuns: 1000 },
    );
    fc.assert(fc.property(json, (body) => void refusalOf(() => parseLegacyOffer(body))));
  });
});
