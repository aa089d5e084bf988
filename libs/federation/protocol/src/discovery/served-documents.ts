import { OWN_WINDOW } from '../webapps/own-window';

/**
 * Paths below the public address for calls of partners. They contain only letters, digits, dots and slashes: older
 * ownCloud servers refuse others.
 */
export const OUR_PATHS = {
  ocm: '/ocm',
  /** Keys for checking our newer signatures. */
  jwks: '/.well-known/jwks.json',
  /** Exchanges secrets for access tokens. */
  token: '/ocm/token',
  /** The page on which people accept invitations. */
  invitationPage: '/index.php/apps/ocm/invitation',
  /** The page on which invited people select their server. */
  wayf: '/ocm/wayf',
  legacyShares: '/ocs/v2.php/cloud/shares',
  /** Content, with the token as Basic user name. */
  webdav: '/public.php/webdav/',
  /** Content, with the token as Bearer: `{webdavById}/{providerId}`. */
  webdavById: '/dav/ocm',
  /** Pages that show shares to their recipients: `{webapp}/{providerId}`. */
  webapp: '/index.php/apps/ocm/app',
} as const;

export interface DiscoveryOptions {
  /** Without a trailing slash. */
  readonly publicUrl: string;
  readonly productName: string;
  /** OCM's words for our features. Features that do not work are not announced. */
  readonly capabilities: readonly string[];
  /** OCM's words for our demands on senders of offers. */
  readonly criteria: readonly string[];
  /** Kinds of recipients for which offers are accepted. */
  readonly shareTypes: readonly string[];
  /** Whether web applications are offered, and taken. */
  readonly webapps: { readonly outgoing: boolean; readonly incoming: boolean };
  /** Key for checking our signatures of the older kind. */
  readonly publicKey?: { readonly keyId: string; readonly publicKeyPem: string } | undefined;
}

/**
 * The document at `/.well-known/ocm`, as in the specification. Its entries are named `file` and `folder`, because reva refuses folders
 * otherwise. We read both forms of addresses, but announce `relative`: opencloudmesh-go makes wrong absolute ones from the receiver's
 * own address.
 */
export function ocmDiscovery(options: DiscoveryOptions): object {
  const { outgoing, incoming } = options.webapps;
  const protocols = {
    webdav: OUR_PATHS.webdav,
    'webdav-receive': { uri: 'relative' },
    ...(outgoing && { webapp: {} }),
    ...(incoming && { 'webapp-receive': { targets: [OWN_WINDOW] } }),
  };
  return {
    ...commonMembers(options, protocols),
    apiVersion: '1.4.0',
    inviteAcceptDialog: `${new URL(options.publicUrl).pathname.replace(/\/$/, '')}${OUR_PATHS.invitationPage}`,
  };
}

/**
 * The document at `/ocm-provider` and `/ocm-provider/`, which newer specifications no longer have: for older servers.
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

/** User agent of Nextcloud 28 to 30, which accept no version above 1.1. */
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

/** The document at `/ocs-provider/`. */
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
