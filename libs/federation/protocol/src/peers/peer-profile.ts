import { ownAddress, type NamedHosts } from '../addresses/partner-address';
import type { Spelling } from '../addresses/spelling';
import type { OcmDocument, OcsDocument, WebdavReceive } from '../discovery/read-documents';
import type { SignatureChoice } from '../signatures/signature-to-check';
import type { Dialect } from '../wire/share-offer';
import { recogniseProduct, TRAITS, type DataAccess, type PeerProduct } from './peer-product';

/** How long a discovery holds, in milliseconds. */
export const PROFILE_VALID_MS = 24 * 3_600_000;
/** How long it is believed that a host is no partner, or does not answer. */
export const NO_PROFILE_VALID_MS = 5 * 60_000;

/** Profile of a partner's server: enough to write to it. Plain data, kept as JSON. */
export interface PeerProfile {
  /** `https://host[:port][/path]`, with the scheme under which it answered. */
  readonly baseUrl: string;
  readonly product: PeerProduct;
  /** Whether an operator said so; else it was recognised. */
  readonly productIsGiven: boolean;
  /** In the order of attempts; holds only dialects for which there is an address. */
  readonly dialects: readonly Dialect[];
  /** The dialect that worked last; then no other is tried. */
  readonly provenDialect: Dialect | null;
  /** OCM address, without a trailing slash; null where there is none. */
  readonly ocmEndPoint: string | null;
  /** Address of the legacy dialect, without a trailing slash; null where there is none. */
  readonly legacyShareUrl: string | null;
  /** Root of content that is read with a token as user name, without a trailing slash. */
  readonly webdavUrl: string | null;
  readonly tokenEndPoint: string | null;
  /** Which addresses of content it says that it reads; null where it does not say. It is given absolute ones, which all read. */
  readonly webdavReceive: WebdavReceive | null;
  /** An operator's choice of how messages to it are signed; null where its announcements decide. */
  readonly signBy: SignatureChoice | null;
  readonly spelling: Spelling;
  readonly dataAccess: DataAccess;
  /** Words in the newer spelling, without a leading slash. */
  readonly capabilities: readonly string[];
  readonly criteria: readonly string[];
  readonly apiVersion: string | null;
  /** UNIX milliseconds. */
  readonly discoveredAt: number;
  /** UNIX milliseconds; to be discovered again after this. */
  readonly expiresAt: number;
}

/** Documents that discovery found for one partner. */
export interface DiscoveredDocuments {
  readonly baseUrl: string;
  readonly ocm: OcmDocument | undefined;
  readonly ocs: OcsDocument | undefined;
}

export interface ProfileOptions {
  readonly named: NamedHosts;
  /** Name of our own product, by which our instances know each other. */
  readonly ownName: string;
  /** An operator's word about the product. */
  readonly product?: PeerProduct;
  /** UNIX milliseconds. */
  readonly now: number;
}

/**
 * Decides how a partner is spoken to. Addresses that lead to another host are left out, as if they had not been
 * announced.
 * @returns undefined where no dialect is left: this is no partner
 */
export function decideProfile(found: DiscoveredDocuments, options: ProfileOptions): PeerProfile | undefined {
  const ocm = found.ocm?.enabled ? found.ocm : undefined;
  const own = (address: string | null | undefined): string | null =>
    address ? (ownAddress(address, found.baseUrl, options.named) ?? null) : null;
  const ocmEndPoint = own(ocm?.endPoint);
  // Paths of the legacy dialect and of WebDAV count from the base of the cloud id, which may be a folder.
  const below = (path: string | null | undefined): string | null =>
    own(path && /^\/(?!\/)/.test(path) ? `${found.baseUrl}${path}` : path);
  const legacyShareUrl = below(found.ocs?.share);
  const recognised = ocm && ocmEndPoint ? recogniseProduct(ocm, options.ownName) : 'legacy';
  const product = options.product ?? recognised;
  const addresses = { 'ocm-multi': ocmEndPoint, 'ocm-webdav': ocmEndPoint, legacy: legacyShareUrl };
  const dialects = dialectsOf(product, ocm).filter((dialect) => addresses[dialect] !== null);
  if (dialects.length === 0) return undefined;
  return {
    baseUrl: found.baseUrl,
    product,
    productIsGiven: options.product !== undefined,
    dialects,
    provenDialect: null,
    ocmEndPoint,
    legacyShareUrl,
    webdavUrl: below(ocm?.webdav ?? found.ocs?.webdav),
    tokenEndPoint: own(ocm?.tokenEndPoint),
    webdavReceive: ocm?.webdavReceive ?? null,
    signBy: null,
    spelling: TRAITS[product].spelling,
    dataAccess: TRAITS[product].dataAccess,
    capabilities: (ocm?.capabilities ?? []).map((word) => word.replace(/^\//, '')),
    criteria: ocm?.criteria ?? [],
    apiVersion: ocm?.apiVersion ?? null,
    discoveredAt: options.now,
    expiresAt: options.now + PROFILE_VALID_MS,
  };
}

/** An unknown product that keeps content elsewhere than ownCloud and Nextcloud is rather one of the newer kind. */
function dialectsOf(product: PeerProduct, ocm: OcmDocument | undefined): readonly Dialect[] {
  const { dialects } = TRAITS[product];
  const looksNew = product === 'unknown' && /^1\.[1-9]/.test(ocm?.apiVersion ?? '');
  return looksNew ? ['ocm-multi', 'ocm-webdav', 'legacy'] : dialects;
}
