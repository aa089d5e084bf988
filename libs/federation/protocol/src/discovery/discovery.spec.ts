import { decideProfile, type PeerProfile, type ProfileOptions } from '../peers/peer-profile';
import { dialectLadder } from '../delivery/dialect-ladder';
import { concludeDiscovery, type Probe } from './conclude';
import { readOcmDocument, readOcsDocument, type OcmDocument, type OcsDocument } from './read-documents';
import { ocmDiscovery, ocsDiscovery } from './served-documents';

const BASE = 'https://cloud.example.org';
const OPTIONS: ProfileOptions = { named: [], ownName: 'Drawbridge', now: 1_000 };
const files = (webdav: unknown, name = 'file'): object => ({
  name,
  shareTypes: ['user'],
  protocols: { webdav },
});

const OWNCLOUD = {
  enabled: true,
  apiVersion: '1.0-proposal1',
  endPoint: `${BASE}/index.php/apps/federatedfilesharing`,
  shareTypes: [{ name: 'file', protocols: { webdav: '/public.php/webdav/' } }],
};
const NEXTCLOUD = {
  enabled: true,
  apiVersion: '1.0-proposal1',
  version: '1.1.0',
  endPoint: `${BASE}/ocm`,
  publicKey: { keyId: `${BASE}/ocm#signature`, publicKeyPem: '-----BEGIN PUBLIC KEY-----...' },
  resourceTypes: [
    files('/public.php/webdav/'),
    { name: 'talk-room', shareTypes: ['user'], protocols: { 'talk-v1': '/x' } },
  ],
  capabilities: ['/invite-accepted', '/notifications', '/shares'],
};
const OCIS = {
  enabled: true,
  apiVersion: '1.1.0',
  endPoint: `${BASE}/ocm`,
  resourceTypes: [files('/remote.php/dav/ocm/')],
  capabilities: ['/invite-accepted'],
};
const OPENCLOUD_OLD = { ...OCIS, provider: 'OpenCloud', resourceTypes: [files('/dav/ocm')] };
const OPENCLOUD = {
  ...OCIS,
  apiVersion: '1.2.0',
  capabilities: ['invites', 'webdav-uri', 'protocol-object', 'invite-wayf'],
};
const REVA = {
  ...OCIS,
  apiVersion: '1.3.0',
  resourceTypes: [
    {
      name: 'file',
      shareTypes: ['user'],
      protocols: { webdav: '/remote.php/dav/ocm', 'webdav-receive': { uri: 'absolute' } },
    },
    files('/remote.php/dav/ocm', 'folder'),
  ],
  capabilities: ['invites', 'protocol-object', 'invite-wayf', 'exchange-token'],
  criteria: ['must-invite'],
  tokenEndPoint: `${BASE}/ocm/token`,
};
const OURS = ocmDiscovery({ publicUrl: BASE, productName: 'Drawbridge', capabilities: ['notifications'] });
const OCS = {
  version: 2,
  services: {
    FEDERATED_SHARING: {
      version: 1,
      endpoints: { share: '/ocs/v2.php/cloud/shares', webdav: '/public.php/webdav/' },
    },
  },
};

const profileOf = (
  document: unknown,
  ocs?: unknown,
  options = OPTIONS,
  baseUrl = BASE,
): PeerProfile | undefined =>
  decideProfile({ baseUrl, ocm: readOcmDocument(document), ocs: readOcsDocument(ocs) }, options);

describe('the profile of a partner', () => {
  it.each([
    [
      'ownCloud',
      OWNCLOUD,
      'owncloud10',
      ['ocm-webdav', 'legacy'],
      'with-scheme',
      'basic',
      '/public.php/webdav',
    ],
    [
      'Nextcloud',
      NEXTCLOUD,
      'nextcloud',
      ['ocm-webdav', 'legacy'],
      'scheme-unless-https',
      'basic',
      '/public.php/webdav',
    ],
    ['oCIS', OCIS, 'ocis', ['ocm-multi'], 'scheme-with-port', 'bearer', '/remote.php/dav/ocm'],
    ['OpenCloud 0.1', OPENCLOUD_OLD, 'opencloud', ['ocm-multi'], 'scheme-with-port', 'bearer', '/dav/ocm'],
    ['OpenCloud', OPENCLOUD, 'opencloud', ['ocm-multi'], 'scheme-with-port', 'bearer', '/remote.php/dav/ocm'],
    [
      'reva',
      REVA,
      'reva',
      ['ocm-multi', 'ocm-webdav'],
      'scheme-with-port',
      'bearer-then-basic',
      '/remote.php/dav/ocm',
    ],
    [
      'our own',
      OURS,
      'drawbridge',
      ['ocm-multi', 'ocm-webdav'],
      'scheme-unless-https',
      'bearer-then-basic',
      '/public.php/webdav',
    ],
    [
      'ownCloud that describes itself in newer words',
      { ...OWNCLOUD, shareTypes: undefined, resourceTypes: [files('/public.php/webdav/')] },
      'nextcloud',
      ['ocm-webdav', 'legacy'],
      'scheme-unless-https',
      'basic',
      '/public.php/webdav',
    ],
    [
      'something new',
      { ...OCIS, apiVersion: '1.2.0', capabilities: [] },
      'unknown',
      ['ocm-multi', 'ocm-webdav', 'legacy'],
      'with-scheme',
      'bearer-then-basic',
      '/remote.php/dav/ocm',
    ],
    [
      'something old',
      { ...OCIS, apiVersion: '1.0', capabilities: [] },
      'unknown',
      ['ocm-webdav', 'ocm-multi', 'legacy'],
      'with-scheme',
      'bearer-then-basic',
      '/remote.php/dav/ocm',
    ],
  ])('%s', (_name, document, product, dialects, spelling, dataAccess, webdav) => {
    expect(profileOf(document, OCS)).toMatchObject({
      baseUrl: BASE,
      product,
      dialects,
      spelling,
      dataAccess,
      webdavUrl: `${BASE}${webdav}`,
      discoveredAt: 1_000,
      expiresAt: 1_000 + 86_400_000,
    });
  });

  it('is that of a legacy server where OCM is absent or switched off', () => {
    const legacy = {
      product: 'legacy',
      dialects: ['legacy'],
      ocmEndPoint: null,
      legacyShareUrl: `${BASE}/ocs/v2.php/cloud/shares`,
    };
    expect(profileOf(undefined, OCS)).toMatchObject(legacy);
    expect(profileOf({ enabled: false }, OCS)).toMatchObject(legacy);
    expect(profileOf({ ...OWNCLOUD, enabled: false }, OCS)).toMatchObject(legacy);
    expect(profileOf(undefined, ocsDiscovery())).toMatchObject(legacy);
  });

  it('lies below the folder of the installation', () => {
    const profile = profileOf({ ...OWNCLOUD, endPoint: `${BASE}/oc/ocm` }, OCS, OPTIONS, `${BASE}/oc`);
    expect(profile).toMatchObject({
      ocmEndPoint: `${BASE}/oc/ocm`,
      legacyShareUrl: `${BASE}/oc/ocs/v2.php/cloud/shares`,
      webdavUrl: `${BASE}/oc/public.php/webdav`,
    });
  });

  it('says what an operator said', () => {
    expect(profileOf(OWNCLOUD, OCS, { ...OPTIONS, product: 'nextcloud' })).toMatchObject({
      product: 'nextcloud',
      productIsGiven: true,
    });
  });

  it.each([
    ['another host', 'https://evil.example.org/ocm'],
    ['a longer name', 'https://cloud.example.org.evil.test/ocm'],
    ['a host below', 'https://a.cloud.example.org/ocm'],
    ['another port', 'https://cloud.example.org:8443/ocm'],
    ['loopback', 'https://127.0.0.1/ocm'],
    ['plain http on another port', 'http://cloud.example.org:8080/ocm'],
    ['credentials', 'https://user:pw@cloud.example.org/ocm'],
    ['another protocol', 'ftp://cloud.example.org/ocm'],
    ['a script', 'javascript:alert(1)'],
    ['no scheme', '//evil.example.org/ocm'],
  ])('has no address at %s', (_what, endPoint) => {
    expect(profileOf({ ...OWNCLOUD, endPoint })).toBeUndefined();
    expect(profileOf({ ...OWNCLOUD, endPoint }, OCS)).toMatchObject({ product: 'legacy', ocmEndPoint: null });
    const elsewhere = {
      services: { FEDERATED_SHARING: { endpoints: { share: endPoint, webdav: endPoint } } },
    };
    expect(profileOf(OWNCLOUD, elsewhere)).toMatchObject({ legacyShareUrl: null, dialects: ['ocm-webdav'] });
    const content = { ...OWNCLOUD, shareTypes: [{ name: 'file', protocols: { webdav: endPoint } }] };
    expect(profileOf(content)).toMatchObject({ webdavUrl: null });
  });

  it('has one where an operator named the other host', () => {
    const endPoint = 'https://ocm.example.org/x';
    const named = { ...OPTIONS, named: ['ocm.example.org:443'] };
    expect(profileOf({ ...OWNCLOUD, endPoint }, undefined, named)).toMatchObject({ ocmEndPoint: endPoint });
    expect(
      profileOf({ ...OWNCLOUD, endPoint }, undefined, { ...OPTIONS, named: ['ocm.example.org:8443'] }),
    ).toBeUndefined();
  });

  it.each([
    ['a slash too many', `${BASE}/ocm/`, `${BASE}/ocm`],
    ['the scheme that a proxy hides', 'http://cloud.example.org/ocm', `${BASE}/ocm`],
    ['a path', '/ocm', `${BASE}/ocm`],
    ['capitals and the usual port', 'HTTPS://Cloud.Example.ORG:443/ocm', `${BASE}/ocm`],
    ['a query', `${BASE}/ocm?x=1#y`, `${BASE}/ocm`],
  ])('repairs %s', (_what, endPoint, repaired) => {
    expect(profileOf({ ...OWNCLOUD, endPoint })).toMatchObject({ ocmEndPoint: repaired });
  });
});

describe('reading a discovery document', () => {
  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a list', []],
    ['a text', 'enabled'],
    ['no version', { enabled: true, endPoint: BASE }],
    ['no address', { enabled: true, apiVersion: '1.0' }],
    ['an object as address', { enabled: true, apiVersion: '1.0', endPoint: {} }],
    ['an endless address', { enabled: true, apiVersion: '1.0', endPoint: `${BASE}/${'x'.repeat(5000)}` }],
    ['an endless version', { enabled: true, apiVersion: '1'.repeat(99), endPoint: BASE }],
  ])('%s is none', (_what, value) => expect(readOcmDocument(value)).toBeUndefined());

  it('bears members of the wrong type', () => {
    const odd = {
      ...NEXTCLOUD,
      resourceTypes: [1, null, { name: {}, protocols: [] }, files({}), files('/dav')],
      capabilities: [1, 'x', {}],
      criteria: 'all',
    };
    expect(readOcmDocument(odd)).toMatchObject({ webdav: '/dav', capabilities: ['x'], criteria: [] });
  });

  it('needs a service that shares', () => {
    expect(readOcsDocument({ services: {} })).toBeUndefined();
    expect(readOcsDocument({ services: { FEDERATED_SHARING: { endpoints: { share: '/s' } } } })).toEqual({
      share: '/s',
      webdav: '/public.php/webdav/',
    });
  });
});

describe('what discovery concludes', () => {
  const none = { kind: 'none' } as const;
  const failed = { kind: 'failed', errorClass: 'partner-trouble' } as const;
  const found = { kind: 'document', document: readOcmDocument(OWNCLOUD)! } as const;
  const legacy = { kind: 'document', document: readOcsDocument(OCS)! } as const;
  const conclude = (ocm: Probe<OcmDocument>[], ocs: Probe<OcsDocument>) =>
    concludeDiscovery(BASE, ocm, ocs, OPTIONS);

  it.each<[string, Probe<OcmDocument>[], Probe<OcsDocument>, string, string | null]>([
    ['a document', [found], legacy, 'partner', 'owncloud10'],
    ['a document after a no', [none, found], none, 'partner', 'owncloud10'],
    ['a document after trouble', [failed, found], failed, 'partner', 'owncloud10'],
    ['noes, and the legacy dialect', [none, none, none], legacy, 'partner', 'legacy'],
    ['noes only', [none, none, none], none, 'no-partner', null],
    ['trouble, never the legacy dialect', [none, failed, none], legacy, 'inconclusive', null],
    ['trouble at the last question', [none, none, none], failed, 'inconclusive', null],
  ])('%s', (_what, ocm, ocs, kind, product) => {
    const conclusion = conclude(ocm, ocs);
    expect(conclusion.kind).toBe(kind);
    expect(conclusion.kind === 'partner' ? conclusion.profile.product : null).toBe(product);
  });
});

describe('the dialects to try', () => {
  const profile = profileOf(OWNCLOUD, OCS)!;

  it('are those of the product, in order', () => {
    expect(dialectLadder(profile, 'offer')).toEqual(['ocm-webdav', 'legacy']);
    expect(dialectLadder(profileOf(REVA)!, 'offer')).toEqual(['ocm-multi', 'ocm-webdav']);
  });

  it('are only the one that worked', () => {
    expect(dialectLadder({ ...profile, provenDialect: 'ocm-webdav' }, 'offer')).toEqual(['ocm-webdav']);
    expect(dialectLadder({ ...profile, provenDialect: 'ocm-multi' }, 'offer')).toEqual([
      'ocm-webdav',
      'legacy',
    ]);
  });

  it('send a notice to one OCM address once', () => {
    expect(dialectLadder(profileOf(REVA)!, 'unshared')).toEqual(['ocm-multi']);
    expect(dialectLadder(profile, 'accepted')).toEqual(['ocm-webdav', 'legacy']);
  });

  it('are the legacy one for what ownCloud refuses otherwise', () => {
    expect(dialectLadder({ ...profile, provenDialect: 'ocm-webdav' }, 'reshare-undone')).toEqual(['legacy']);
    expect(dialectLadder(profileOf(OWNCLOUD)!, 'reshare-undone')).toEqual(['ocm-webdav']);
  });
});

describe('what we serve', () => {
  it('is read by every reader', () => {
    const document = OURS as {
      apiVersion: string;
      shareTypes: object[];
      resourceTypes: { name: string; protocols: { webdav: string } }[];
    };
    expect(document.apiVersion).toBe('1.1.0');
    expect(document.shareTypes).toHaveLength(1);
    expect(document.resourceTypes.map(({ name }) => name)).toEqual(['file', 'folder']);
    for (const { protocols } of document.resourceTypes) {
      // ownCloud accepts these letters only, oCIS and OpenCloud texts only.
      expect(protocols.webdav).toMatch(/^[/.A-Za-z0-9]+\/$/);
      expect(Object.values(protocols).every((value) => typeof value === 'string')).toBe(true);
    }
    expect(readOcsDocument(ocsDiscovery())!.share).toMatch(/^[/.A-Za-z0-9]+$/);
  });
});
