import { readOcmDocument, readOcsDocument } from '../discovery/read-documents';
import { ocmDiscovery, ocsDiscovery } from '../discovery/served-documents';
import KNOWN from '../discovery/known-documents.json';
import { dialectLadder } from '../messages/dialect-ladder';
import { decideProfile, type ProfileOptions } from './decide-profile';
import type { PeerProfile } from './peer-profile';

const BASE = 'https://cloud.example.org';
const OURS = ocmDiscovery({
  publicUrl: BASE,
  productName: 'Drawbridge',
  capabilities: ['notifications'],
  criteria: [],
  shareTypes: ['user'],
  webapps: { outgoing: false, incoming: true },
});
const files = (webdav: unknown, name = 'file'): object => ({
  name,
  shareTypes: ['user'],
  protocols: { webdav },
});
const OPTIONS: ProfileOptions = { named: [], ownName: 'Drawbridge', now: 1_000 };

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
      KNOWN.owncloud,
      'owncloud10',
      ['ocm-webdav', 'legacy'],
      'with-scheme',
      'basic',
      '/public.php/webdav',
    ],
    [
      'Nextcloud',
      KNOWN.nextcloud,
      'nextcloud',
      ['ocm-webdav', 'legacy'],
      'scheme-unless-https',
      'basic',
      '/public.php/webdav',
    ],
    [
      'Nextcloud 28 to 30, which read by http what has no scheme',
      { ...KNOWN.nextcloud, version: undefined, publicKey: undefined, capabilities: undefined },
      'nextcloud',
      ['ocm-webdav', 'legacy'],
      'with-scheme',
      'basic',
      '/public.php/webdav',
    ],
    ['oCIS', KNOWN.ocis, 'ocis', ['ocm-multi'], 'scheme-with-port', 'bearer', '/remote.php/dav/ocm'],
    [
      'OpenCloud 0.1',
      KNOWN.opencloudOld,
      'opencloud',
      ['ocm-multi'],
      'scheme-with-port',
      'bearer',
      '/dav/ocm',
    ],
    [
      'OpenCloud',
      KNOWN.opencloud,
      'opencloud',
      ['ocm-multi'],
      'scheme-with-port',
      'bearer',
      '/remote.php/dav/ocm',
    ],
    [
      'reva',
      KNOWN.reva,
      'reva',
      ['ocm-multi', 'ocm-webdav'],
      'without-scheme',
      'bearer-then-basic',
      '/remote.php/dav/ocm',
    ],
    [
      'our own',
      OURS,
      'drawbridge',
      ['ocm-multi', 'ocm-webdav'],
      'without-scheme',
      'bearer-then-basic',
      '/public.php/webdav',
    ],
    [
      'ownCloud that describes itself in newer words',
      { ...KNOWN.owncloud, shareTypes: undefined, resourceTypes: [files('/public.php/webdav/')] },
      'nextcloud',
      ['ocm-webdav', 'legacy'],
      'with-scheme',
      'basic',
      '/public.php/webdav',
    ],
    [
      'something new',
      { ...KNOWN.ocis, apiVersion: '1.2.0', capabilities: [] },
      'ocm',
      ['ocm-multi', 'ocm-webdav', 'legacy'],
      'without-scheme',
      'bearer-then-basic',
      '/remote.php/dav/ocm',
    ],
    [
      'a strict server of OCM 1.4',
      KNOWN.strict,
      'ocm',
      ['ocm-multi', 'ocm-webdav', 'legacy'],
      'without-scheme',
      'bearer-then-basic',
      '/webdav/ocm',
    ],
    [
      'something old',
      { ...KNOWN.ocis, apiVersion: '1.0', capabilities: [] },
      'unknown',
      ['ocm-webdav', 'ocm-multi', 'legacy'],
      'without-scheme',
      'bearer-then-basic',
      '/remote.php/dav/ocm',
    ],
  ])('%s', (_name, document, product, dialects, spelling, dataAccess, webdav) => {
    expect(profileOf(document, KNOWN.ocsProvider)).toMatchObject({
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

  it.each([
    ['absolute', KNOWN.reva],
    ['relative', KNOWN.strict],
    [null, KNOWN.opencloud],
  ])('lists the addresses of content that the partner reads: %s', (webdavReceive, document) => {
    expect(profileOf(document)).toMatchObject({ webdavReceive });
  });

  it('is that of a legacy server if OCM is absent or switched off', () => {
    const legacy = {
      product: 'legacy',
      dialects: ['legacy'],
      ocmEndPoint: null,
      legacyShareUrl: `${BASE}/ocs/v2.php/cloud/shares`,
    };
    expect(profileOf(undefined, KNOWN.ocsProvider)).toMatchObject(legacy);
    expect(profileOf({ enabled: false }, KNOWN.ocsProvider)).toMatchObject(legacy);
    expect(profileOf({ ...KNOWN.owncloud, enabled: false }, KNOWN.ocsProvider)).toMatchObject(legacy);
    expect(profileOf(undefined, ocsDiscovery())).toMatchObject(legacy);
  });

  it('is below the folder of the installation', () => {
    const profile = profileOf(
      { ...KNOWN.owncloud, endPoint: `${BASE}/oc/ocm` },
      KNOWN.ocsProvider,
      OPTIONS,
      `${BASE}/oc`,
    );
    expect(profile).toMatchObject({
      ocmEndPoint: `${BASE}/oc/ocm`,
      legacyShareUrl: `${BASE}/oc/ocs/v2.php/cloud/shares`,
      webdavUrl: `${BASE}/oc/public.php/webdav`,
    });
  });

  it('has the values that an operator set', () => {
    expect(profileOf(KNOWN.owncloud, KNOWN.ocsProvider, { ...OPTIONS, product: 'nextcloud' })).toMatchObject({
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
    expect(profileOf({ ...KNOWN.owncloud, endPoint })).toBeUndefined();
    expect(profileOf({ ...KNOWN.owncloud, endPoint }, KNOWN.ocsProvider)).toMatchObject({
      product: 'legacy',
      ocmEndPoint: null,
    });
    const elsewhere = {
      services: { FEDERATED_SHARING: { endpoints: { share: endPoint, webdav: endPoint } } },
    };
    expect(profileOf(KNOWN.owncloud, elsewhere)).toMatchObject({
      legacyShareUrl: null,
      dialects: ['ocm-webdav'],
    });
    const content = { ...KNOWN.owncloud, shareTypes: [{ name: 'file', protocols: { webdav: endPoint } }] };
    expect(profileOf(content)).toMatchObject({ webdavUrl: null });
  });

  it('has another host if an operator named it', () => {
    const endPoint = 'https://ocm.example.org/x';
    const named = { ...OPTIONS, named: ['ocm.example.org:443'] };
    expect(profileOf({ ...KNOWN.owncloud, endPoint }, undefined, named)).toMatchObject({
      ocmEndPoint: endPoint,
    });
    expect(
      profileOf({ ...KNOWN.owncloud, endPoint }, undefined, { ...OPTIONS, named: ['ocm.example.org:8443'] }),
    ).toBeUndefined();
  });

  it.each([
    ['a slash too many', `${BASE}/ocm/`, `${BASE}/ocm`],
    ['the scheme that a proxy hides', 'http://cloud.example.org/ocm', `${BASE}/ocm`],
    ['a path', '/ocm', `${BASE}/ocm`],
    ['capitals and the usual port', 'HTTPS://Cloud.Example.ORG:443/ocm', `${BASE}/ocm`],
    ['a query', `${BASE}/ocm?x=1#y`, `${BASE}/ocm`],
  ])('repairs %s', (_what, endPoint, repaired) => {
    expect(profileOf({ ...KNOWN.owncloud, endPoint })).toMatchObject({ ocmEndPoint: repaired });
  });
});

describe('the dialects to try', () => {
  const profile = profileOf(KNOWN.owncloud, KNOWN.ocsProvider)!;

  it('are those of the product, in order', () => {
    expect(dialectLadder(profile, 'offer')).toEqual(['ocm-webdav', 'legacy']);
    expect(dialectLadder(profileOf(KNOWN.reva)!, 'offer')).toEqual(['ocm-multi', 'ocm-webdav']);
  });

  it('are only the dialect that worked before', () => {
    expect(dialectLadder({ ...profile, provenDialect: 'ocm-webdav' }, 'offer')).toEqual(['ocm-webdav']);
    expect(dialectLadder({ ...profile, provenDialect: 'ocm-multi' }, 'offer')).toEqual([
      'ocm-webdav',
      'legacy',
    ]);
  });

  it('send a notice to one OCM address once', () => {
    expect(dialectLadder(profileOf(KNOWN.reva)!, 'share-unshared')).toEqual(['ocm-multi']);
    expect(dialectLadder(profile, 'share-accepted')).toEqual(['ocm-webdav', 'legacy']);
  });

  it('are only the legacy one for messages that ownCloud refuses otherwise', () => {
    expect(dialectLadder({ ...profile, provenDialect: 'ocm-webdav' }, 'reshare-undone')).toEqual(['legacy']);
    expect(dialectLadder(profileOf(KNOWN.owncloud)!, 'reshare-undone')).toEqual(['ocm-webdav']);
  });
});
