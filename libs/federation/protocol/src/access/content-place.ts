import { ownAddress } from '../addresses/partner-address';
import type { PeerProfile } from '../peers/peer-profile';
import type { Dialect } from '../wire/share-offer';
import { MUST_EXCHANGE } from './token-demand';

/** The part of an offer that says how its content is reached. */
export interface ContentOffer {
  readonly dialect: string;
  readonly providerId: string;
  readonly name: string;
  /** As it was stored with the share; anything may be missing. */
  readonly access: Readonly<Record<string, unknown>>;
}

/**
 * Credential for content: the shared secret as user name without a password, the secret as bearer token, an access
 * token that the secret was exchanged for, or user name and password of a public link.
 */
export type ContentKey = 'basic' | 'bearer' | 'token' | 'link';

/** Where the content of a share is, and what opens it. */
export interface ContentPlace {
  /** Address of the share itself, without a trailing slash. */
  readonly root: string;
  /** Whether the root is asked for with a slash at its end. */
  readonly rootEndsInSlash: boolean;
  /**
   * Where a share of a single file may be besides its root; null for nowhere. ownCloud and Nextcloud have the file at
   * the root itself. OpenCloud was seen to have it there and at `<root>/<name>` as well, and to ask others
   * for the second: the root is the first reading, this one the next where nothing is at the root.
   */
  readonly fileBelowRoot: string | null;
  /** In the order of attempts; never empty. */
  readonly keys: readonly ContentKey[];
  /** Where a secret is exchanged; null where the partner names no place. */
  readonly tokenEndPoint: string | null;
}

/** Where ownCloud and Nextcloud have shared content, when they do not say. */
const DEFAULT_WEBDAV = '/public.php/webdav';

/**
 * Decides where the content of a share is. Source: federation-facts 8 and 9.
 * @returns undefined where the offer points to another server than its sender's, or to nowhere
 */
export function contentPlace(offer: ContentOffer, profile: PeerProfile): ContentPlace | undefined {
  const isMulti = offer.dialect === ('ocm-multi' satisfies Dialect);
  const root = isMulti
    ? multiRoot(offer, profile)
    : (profile.webdavUrl ?? `${profile.baseUrl}${DEFAULT_WEBDAV}`);
  if (root === undefined) return undefined;
  return {
    root,
    rootEndsInSlash: !isMulti,
    fileBelowRoot: isMulti ? `${root}/${encodeURIComponent(offer.name)}` : null,
    keys: keysOf(offer, profile, isMulti),
    tokenEndPoint: profile.tokenEndPoint,
  };
}

/** `uri` as it is, from the host of the partner's OCM address, or below its WebDAV root; that and the id without one. */
function multiRoot({ access, providerId }: ContentOffer, profile: PeerProfile): string | undefined {
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

/** Other places of the partner's: what is in its profile was judged, or named by an operator. */
function placesOf({ webdavUrl, ocmEndPoint }: PeerProfile): readonly string[] {
  return [webdavUrl, ocmEndPoint].flatMap((address) => {
    if (address === null) return [];
    const { hostname, port, protocol } = new URL(address);
    return [`${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`];
  });
}

function keysOf({ access }: ContentOffer, profile: PeerProfile, isMulti: boolean): readonly ContentKey[] {
  const requirements = Array.isArray(access.requirements) ? (access.requirements as unknown[]) : [];
  if (requirements.includes(MUST_EXCHANGE)) return ['token'];
  const bySecret = isMulti ? MULTI_KEYS[profile.dataAccess] : (['basic'] as const);
  return profile.tokenEndPoint === null ? bySecret : [...bySecret, 'token'];
}

const MULTI_KEYS = {
  bearer: ['bearer'],
  'bearer-then-basic': ['bearer', 'basic'],
  basic: ['basic', 'bearer'],
} as const satisfies Record<PeerProfile['dataAccess'], readonly ContentKey[]>;
