import type { ContentOffer } from '../access/content-offer';
import { ownAddress } from '../addresses/partner-address';
import type { DataAccess, PeerProduct } from '../peers/peer-product';
import type { PeerProfile } from '../peers/peer-profile';
import type { DialectRules } from './dialect';
import { looksNew, ocmMultiOffer } from './ocm-requests';
import { ocmWebdav } from './ocm-webdav';

const PREFERENCES: Readonly<Partial<Record<PeerProduct, number>>> = {
  drawbridge: 1,
  ocis: 1,
  opencloud: 1,
  reva: 1,
  ocm: 1,
};

const KEYS = {
  bearer: ['bearer'],
  'bearer-then-basic': ['bearer', 'basic'],
  basic: ['basic', 'bearer'],
} as const satisfies Record<DataAccess, readonly string[]>;

/** OCM 1.1 and newer: content at its own address, the secret as Bearer. Its notices are those of OCM 1.0. */
export const ocmMulti: DialectRules = {
  ...ocmWebdav,
  preference: (product, document) =>
    product === 'unknown' ? (looksNew(document) ? 1 : 2) : PREFERENCES[product],
  offer: ocmMultiOffer,
  statesRequirements: true,
  content: (offer, profile) => ({
    root: rootOf(offer, profile),
    rootEndsInSlash: false,
    mayBeBelowRoot: true,
    keys: KEYS[profile.dataAccess],
  }),
};

/**
 * Roots to try: `uri` itself, `uri` relative to the host of the partner's OCM address or to its WebDAV root; without a
 * `uri`, the WebDAV root and the id.
 */
function rootOf({ access, providerId }: ContentOffer, profile: PeerProfile): string | undefined {
  const uri = typeof access.webdavUri === 'string' ? access.webdavUri : null;
  const own = (address: string): string | undefined =>
    ownAddress(address, profile.baseUrl, placesOf(profile));
  if (uri !== null && /^[a-z][a-z\d+.-]*:/i.test(uri)) return own(uri);
  if (uri?.startsWith('/')) {
    const home = profile.ocmEndPoint ?? profile.baseUrl;
    return URL.canParse(uri, home) ? own(new URL(uri, home).href) : undefined;
  }
  if (profile.webdavUrl === null) return undefined;
  return own(`${profile.webdavUrl}/${uri ?? encodeURIComponent(providerId)}`);
}

/** Other hosts of the partner: addresses in its profile, which were checked, or that an operator named. */
export function placesOf({
  webdavUrl,
  ocmEndPoint,
}: Pick<PeerProfile, 'webdavUrl' | 'ocmEndPoint'>): readonly string[] {
  return [webdavUrl, ocmEndPoint].flatMap((address) => {
    if (address === null) return [];
    const { hostname, port, protocol } = new URL(address);
    return [`${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`];
  });
}
