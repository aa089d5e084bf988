/** Paths below the public address under which partners reach us. Only letters, digits, dots and slashes: older ownCloud servers refuse others. */
export const OUR_PATHS = {
  ocm: '/ocm',
  /** The keys by which our newer signatures are checked. */
  jwks: '/.well-known/jwks.json',
  /** Where secrets are exchanged for access tokens. */
  token: '/ocm/token',
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
  /** Words of OCM for what works: what does not is not announced. */
  readonly capabilities: readonly string[];
  /** Words of OCM for what is asked of whoever offers something. */
  readonly criteria: readonly string[];
  /** By which our signatures of the older kind are checked. */
  readonly publicKey?: { readonly keyId: string; readonly publicKeyPem: string } | undefined;
}

/**
 * The document under `/.well-known/ocm`, `/ocm-provider` and `/ocm-provider/`: one for all readers.
 *
 * `shareTypes` is where ownCloud looks, `resourceTypes` everybody else; both entries name `file` and `folder`
 * because reva refuses folders otherwise; protocols are texts only because oCIS and OpenCloud cannot read others;
 * `apiVersion` stays at 1.1.0 because Nextcloud 28 to 30 refuse newer ones. Source: reference/federation 2.5.
 */
export function ocmDiscovery({
  publicUrl,
  productName,
  capabilities,
  criteria,
  publicKey,
}: DiscoveryOptions): object {
  const protocols = { webdav: OUR_PATHS.webdav };
  return {
    enabled: true,
    apiVersion: '1.1.0',
    version: '1.4.0',
    endPoint: `${publicUrl}${OUR_PATHS.ocm}`,
    tokenEndPoint: `${publicUrl}${OUR_PATHS.token}`,
    provider: productName,
    resourceTypes: [
      { name: 'file', shareTypes: ['user'], protocols },
      { name: 'folder', shareTypes: ['user'], protocols },
    ],
    shareTypes: [{ name: 'file', protocols }],
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
