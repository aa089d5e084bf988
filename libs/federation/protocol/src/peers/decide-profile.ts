import { ownAddress, type NamedHosts } from '../addresses/partner-address';
import type { Dialects } from '../dialects/dialect';
import type { Dialect } from '../dialects/dialect-name';
import { DIALECTS, rulesOf } from '../dialects/dialects';
import type { OcmDocument, OcsDocument } from '../discovery/read-documents';
import { PROFILE_VALID_MS, type PeerProfile } from './peer-profile';
import { recogniseProduct, spellingFor, TRAITS, type PeerProduct } from './peer-product';

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
  /** The product, if an operator set it. */
  readonly product?: PeerProduct;
  /** UNIX milliseconds. */
  readonly now: number;
  /** Dialects that are spoken. */
  readonly dialects?: Dialects;
}

/**
 * Decides the profile of a partner. Announced addresses that lead to another host are ignored.
 * @returns undefined if no dialect is left: the server is no partner
 */
export function decideProfile(found: DiscoveredDocuments, options: ProfileOptions): PeerProfile | undefined {
  const ocm = found.ocm?.enabled ? found.ocm : undefined;
  const own = (address: string | null | undefined): string | null =>
    address ? (ownAddress(address, found.baseUrl, options.named) ?? null) : null;
  const ocmEndPoint = own(ocm?.endPoint);
  // Paths of the legacy dialect and of WebDAV start at the base of the cloud id, which may have a path.
  const below = (path: string | null | undefined): string | null =>
    own(path && /^\/(?!\/)/.test(path) ? `${found.baseUrl}${path}` : path);
  const legacyShareUrl = below(found.ocs?.share);
  const recognised = ocm && ocmEndPoint ? recogniseProduct(ocm, options.ownName) : 'legacy';
  const product = options.product ?? recognised;
  const addresses = { baseUrl: found.baseUrl, ocmEndPoint, legacyShareUrl };
  const spoken = options.dialects ?? DIALECTS;
  const dialects = dialectsOf(product, ocm, spoken).filter(
    (dialect) => rulesOf(spoken, dialect).endPoint(addresses) !== null,
  );
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
    // A path that starts at the host, unlike those of the legacy dialect.
    inviteAcceptDialog: own(
      ocm?.inviteAcceptDialog && URL.parse(ocm.inviteAcceptDialog, found.baseUrl)?.href,
    ),
    webdavReceive: ocm?.webdavReceive ?? null,
    opensWebapps: ocm?.opensWebapps ?? [],
    signBy: null,
    shareTypes: ocm?.shareTypes ?? [],
    spelling: spellingFor(product, ocm),
    dataAccess: TRAITS[product].dataAccess,
    capabilities: (ocm?.capabilities ?? []).map((word) => word.replace(/^\//, '')),
    criteria: ocm?.criteria ?? [],
    apiVersion: ocm?.apiVersion ?? null,
    discoveredAt: options.now,
    expiresAt: options.now + PROFILE_VALID_MS,
  };
}

/** In the order of attempts. */
function dialectsOf(
  product: PeerProduct,
  document: OcmDocument | undefined,
  dialects: Dialects,
): readonly Dialect[] {
  return (Object.keys(dialects) as Dialect[])
    .map((name) => ({ name, place: rulesOf(dialects, name).preference(product, document) }))
    .filter((one): one is { name: Dialect; place: number } => one.place !== undefined)
    .sort((one, other) => one.place - other.place)
    .map(({ name }) => name);
}
