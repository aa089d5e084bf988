/** Paths below the public address under which partners reach us. Only letters, digits, dots and slashes: older ownCloud servers refuse others. */
export const OUR_PATHS = {
  ocm: '/ocm',
  /** The keys by which our newer signatures are checked. */
  jwks: '/.well-known/jwks.json',
  /** Where secrets are exchanged for access tokens. */
  token: '/ocm/token',
  /** The page on which people accept invitations. */
  invitationPage: '/index.php/apps/ocm/invitation',
  /** The page on which invited people select their server. */
  wayf: '/ocm/wayf',
  legacyShares: '/ocs/v2.php/cloud/shares',
  /** Content for the token as Basic user name. */
  webdav: '/public.php/webdav/',
  /** Content for the token as Bearer: `{webdavById}/{providerId}`. */
  webdavById: '/dav/ocm',
} as const;

export interface DiscoveryOptions {
  /** Without a trailing slash. */
  readonly publicUrl: string;
  readonly productName: string;
  /** Words of OCM for what works: features that do not work are not announced. */
  readonly capabilities: readonly string[];
  /** Words of OCM for what is asked of the one who offers something. */
  readonly criteria: readonly string[];
  /** Kinds of recipients that something can be offered to. */
  readonly shareTypes: readonly string[];
  /** By which our signatures of the older kind are checked. */
  readonly publicKey?: { readonly keyId: string; readonly publicKeyPem: string } | undefined;
}

/**
 * The document under `/.well-known/ocm`, by the specification. Entries name `file` and `folder`, because reva refuses folders
 * otherwise. Both forms of addresses are read; `relative` is announced, because opencloudmesh-go makes absolute ones of the receiver's
 * own address, where there is nothing.
 */
export function ocmDiscovery(options: DiscoveryOptions): object {
  const protocols = { webdav: OUR_PATHS.webdav, 'webdav-receive': { uri: 'relative' } };
  return {
    ...commonMembers(options, protocols),
    apiVersion: '1.4.0',
    inviteAcceptDialog: `${new URL(options.publicUrl).pathname.replace(/\/$/, '')}${OUR_PATHS.invitationPage}`,
  };
}

/**
 * The document under `/ocm-provider` and `/ocm-provider/`, which the specification has no more: for servers of before.
 *
 * ownCloud checks `shareTypes`; protocols are texts only, because oCIS and OpenCloud cannot read others; `apiVersion` is
 * 1.1.0, because Nextcloud 28 to 30 refuse newer ones. Source: federation-facts 2.
 */
export function olderOcmDiscovery(options: DiscoveryOptions): object {
  const protocols = { webdav: OUR_PATHS.webdav };
  return {
    ...commonMembers(options, protocols),
    apiVersion: '1.1.0',
    version: '1.4.0',
    shareTypes: [{ name: 'file', protocols }],
  };
}

/** By this name Nextcloud 28 to 30 ask, which know no version above 1.1. */
export const readsOlderDiscovery = (userAgent: string | undefined): boolean =>
  userAgent === 'Nextcloud Server Crawler';

function commonMembers(
  { publicUrl, productName, capabilities, criteria, shareTypes, publicKey }: DiscoveryOptions,
  protocols: object,
): object {
  return {
    enabled: true,
    endPoint: `${publicUrl}${OUR_PATHS.ocm}`,
    tokenEndPoint: `${publicUrl}${OUR_PATHS.token}`,
    provider: productName,
    resourceTypes: [
      { name: 'file', shareTypes, protocols },
      { name: 'folder', shareTypes, protocols },
    ],
    capabilities,
    criteria,
    ...(publicKey && { publicKey }),
    jwksUri: `${publicUrl}${OUR_PATHS.jwks}`,
  };
}

/** The document under `/ocs-provider/`. */
export function ocsDiscovery(): object {
  return {
    version: 2,
    services: {
      SHARING: { version: 1, endpoints: { share: '/ocs/v2.php/apps/files_sharing/api/v1/shares' } },
      FEDERATED_SHARING: {
        version: 1,
        endpoints: { share: OUR_PATHS.legacyShares, webdav: OUR_PATHS.webdav },
      },
    },
  };
}
