import type { PeerProfile } from '../peers/peer-profile';
import type { ContentOffer } from './content-offer';
import { contentPlace } from './content-place';

const BASE = 'https://cloud.example.org/oc';
const profile = (more: Partial<PeerProfile> = {}): PeerProfile => ({
  baseUrl: BASE,
  product: 'unknown',
  productIsGiven: false,
  dialects: ['ocm-webdav'],
  provenDialect: null,
  ocmEndPoint: `${BASE}/ocm`,
  legacyShareUrl: null,
  webdavUrl: `${BASE}/dav/ocm`,
  tokenEndPoint: null,
  inviteAcceptDialog: null,
  webdavReceive: null,
  opensWebapps: [],
  signBy: null,
  shareTypes: [],
  spelling: 'with-scheme',
  dataAccess: 'bearer-then-basic',
  capabilities: [],
  criteria: [],
  apiVersion: '1.1.0',
  discoveredAt: 0,
  expiresAt: 0,
  ...more,
});
const offer = (webdavUri: unknown, more: Partial<ContentOffer> = {}): ContentOffer => ({
  dialect: 'ocm-multi',
  providerId: '47/12',
  name: 'a b.txt',
  access: { webdavUri, requirements: [] },
  ...more,
});

describe('the address of content', () => {
  it.each([
    ['https://cloud.example.org/dav/ocm/4712', 'https://cloud.example.org/dav/ocm/4712'],
    ['https://cloud.example.org/dav/ocm/4712/?x#y', 'https://cloud.example.org/dav/ocm/4712'],
    ['https://cloud.example.org:443/x', 'https://cloud.example.org/x'],
    // Servers behind a proxy often do not know their own scheme.
    ['http://cloud.example.org/x', 'https://cloud.example.org/x'],
    ['/dav/ocm/4712', 'https://cloud.example.org/dav/ocm/4712'],
    ['4712', `${BASE}/dav/ocm/4712`],
    [null, `${BASE}/dav/ocm/47%2F12`],
    [7, `${BASE}/dav/ocm/47%2F12`],
    ['https://files.example.org/x', undefined],
    ['https://cloud.example.org:8443/x', undefined],
    ['https://user:pass@cloud.example.org/x', undefined],
    ['//evil.example/x', undefined],
    ['/\\evil.example/x', undefined],
    ['file:///etc/passwd', undefined],
    ['https://', undefined],
  ])('of the newer kind, announced as %s: %s', (uri, root) => {
    expect(contentPlace(offer(uri), profile())?.root).toBe(root);
  });

  it('can be on a host that an operator allowed in the profile', () => {
    const elsewhere = profile({ webdavUrl: 'https://files.example.org:8443/dav' });
    const root = (uri: string): string | undefined => contentPlace(offer(uri), elsewhere)?.root;
    expect(root('https://files.example.org:8443/x')).toBe('https://files.example.org:8443/x');
    expect(root('4712')).toBe('https://files.example.org:8443/dav/4712');
    expect(root('https://files.example.org/x')).toBeUndefined();
  });

  it('is unknown if neither the offer nor discovery has one', () => {
    expect(contentPlace(offer('4712'), profile({ webdavUrl: null }))).toBeUndefined();
    expect(contentPlace(offer('/x'), profile({ webdavUrl: null, ocmEndPoint: null }))?.root).toBe(
      'https://cloud.example.org/x',
    );
  });

  it.each(['ocm-webdav', 'legacy'])('in dialect %s comes from discovery, or is the usual one', (dialect) => {
    const webdavUrl = `${BASE}/public.php/webdav`;
    for (const known of [webdavUrl, null]) {
      const place = contentPlace(offer('https://evil.example/', { dialect }), profile({ webdavUrl: known }));
      expect(place).toEqual({
        root: webdavUrl,
        rootEndsInSlash: true,
        fileBelowRoot: null,
        keys: ['basic'],
        tokenEndPoint: null,
      });
    }
  });

  it('of a single file may be below the root of newer servers', () => {
    expect(contentPlace(offer('/x'), profile())?.fileBelowRoot).toBe('https://cloud.example.org/x/a%20b.txt');
  });
});

describe('the credentials that open content', () => {
  const token = { tokenEndPoint: `${BASE}/token` };
  it.each<[Partial<PeerProfile>, readonly string[], readonly string[]]>([
    [{ dataAccess: 'bearer' }, [], ['bearer']],
    [{ dataAccess: 'bearer-then-basic' }, [], ['bearer', 'basic']],
    [{ dataAccess: 'basic' }, [], ['basic', 'bearer']],
    [{ dataAccess: 'bearer', ...token }, [], ['bearer', 'token']],
    [{ dataAccess: 'bearer', ...token }, ['must-use-mfa'], ['bearer', 'token']],
    [{ dataAccess: 'bearer', ...token }, ['must-exchange-token'], ['token']],
    [{ dataAccess: 'bearer' }, ['must-exchange-token'], ['token']],
  ])('for %j with %j: %j', (traits, requirements, keys) => {
    const { keys: found } = contentPlace(
      offer('/x', { access: { webdavUri: '/x', requirements } }),
      profile(traits),
    )!;
    expect(found).toEqual(keys);
  });
});
