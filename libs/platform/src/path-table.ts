/** The apps that answer requests from outside. */
export type ServingApp = 'share-api' | 'capabilities' | 'files' | 'federation-api' | 'web';

/** One row of the table; the first row that matches a path decides. */
export interface PathRow {
  /** A path, with everything below it if `below` is set. `{1,2}` means either of its alternatives. */
  readonly path: string;
  readonly below: boolean;
  readonly app: ServingApp;
  /** Needs no account: the proxy limits requests per address. */
  readonly anonymous?: true;
  /** Checks a password in its body: pages of other sites must not make a browser guess, which would lock its user out. */
  readonly checksPassword?: true;
  /** Connections stay open, as all transfers of `files` may: gateways must not limit their time. */
  readonly lasts?: true;
}

/**
 * The app that serves each path; rows are tried in this order. The proxy's configuration under deploy/ and the routes
 * under k8s/ are generated from this table. `/health/*` is left out on purpose: each app answers for itself only.
 */
export const PATH_TABLE: readonly PathRow[] = [
  { path: '/ocs/v{1,2}.php/cloud/capabilities', below: true, app: 'capabilities' },
  { path: '/status.php', below: false, app: 'capabilities', anonymous: true },
  { path: '/.well-known/openid-configuration', below: false, app: 'capabilities', anonymous: true },
  { path: '/.well-known/webfinger', below: false, app: 'capabilities', anonymous: true },
  { path: '/ocs/v{1,2}.php/cloud/shares', below: true, app: 'federation-api', anonymous: true },
  { path: '/ocs/v{1,2}.php/cloud/shared-secret', below: false, app: 'federation-api', anonymous: true },
  {
    path: '/ocs/v{1,2}.php/apps/federation/api/v1/shared-secret',
    below: false,
    app: 'federation-api',
    anonymous: true,
  },
  {
    path: '/ocs/v{1,2}.php/apps/federation/api/v1/request-shared-secret',
    below: false,
    app: 'federation-api',
    anonymous: true,
  },
  { path: '/remote.php/dav/addressbooks/system', below: true, app: 'federation-api', anonymous: true },
  { path: '/ocm', below: true, app: 'federation-api', anonymous: true },
  { path: '/ocm-provider', below: true, app: 'federation-api', anonymous: true },
  { path: '/ocs-provider', below: true, app: 'federation-api', anonymous: true },
  { path: '/.well-known/ocm', below: false, app: 'federation-api', anonymous: true },
  { path: '/.well-known/jwks.json', below: false, app: 'federation-api', anonymous: true },
  { path: '/remote.php', below: true, app: 'files' },
  { path: '/public.php', below: true, app: 'files', anonymous: true },
  { path: '/dav', below: true, app: 'files' },
  {
    path: '/ocs/v{1,2}.php/person/check',
    below: false,
    app: 'share-api',
    anonymous: true,
    checksPassword: true,
  },
  {
    path: '/index.php/apps/files_sharing/publicpreview',
    below: true,
    app: 'files',
    anonymous: true,
  },
  {
    path: '/index.php/apps/files_sharing/ajax/publicpreview',
    below: false,
    app: 'files',
    anonymous: true,
  },
  { path: '/index.php/apps/files_sharing/shareinfo', below: false, app: 'files', anonymous: true },
  { path: '/index.php/core/preview', below: false, app: 'files' },
  { path: '/index.php/core/preview.png', below: false, app: 'files' },
  { path: '/avatar', below: true, app: 'files' },
  { path: '/index.php/avatar', below: true, app: 'files' },
  { path: '/ocs', below: true, app: 'share-api' },
  { path: '/apps/files_sharing', below: true, app: 'share-api' },
  { path: '/index.php/apps/files_sharing', below: true, app: 'share-api' },
  { path: '/apps/federatedfilesharing/askForFederatedShare', below: false, app: 'share-api' },
  { path: '/index.php/apps/federatedfilesharing/askForFederatedShare', below: false, app: 'share-api' },
  { path: '/apps/federatedfilesharing', below: true, app: 'share-api', anonymous: true },
  { path: '/index.php/apps/federatedfilesharing', below: true, app: 'share-api', anonymous: true },
  { path: '/', below: false, app: 'web', anonymous: true },
  { path: '/login', below: false, app: 'web', anonymous: true, checksPassword: true },
  { path: '/index.php/login', below: false, app: 'web', anonymous: true, checksPassword: true },
  { path: '/login/oidc', below: true, app: 'web', anonymous: true, checksPassword: true },
  // There is no password here, but app passwords are granted: pages of other sites must not take part.
  { path: '/login/v2', below: true, app: 'web', anonymous: true, checksPassword: true },
  { path: '/index.php/login/v2', below: true, app: 'web', anonymous: true, checksPassword: true },
  { path: '/token/generate', below: false, app: 'web', anonymous: true, checksPassword: true },
  { path: '/index.php/token/generate', below: false, app: 'web', anonymous: true, checksPassword: true },
  { path: '/index.php/settings/personal/authtokens', below: true, app: 'web' },
  { path: '/logout', below: false, app: 'web', anonymous: true, checksPassword: true },
  // Clients sign in after they are connected, and many clients of one organisation share an address.
  { path: '/push/ws', below: false, app: 'web', lasts: true },
  { path: '/web/events', below: false, app: 'web', lasts: true },
  { path: '/web/assets', below: true, app: 'web', anonymous: true },
  { path: '/web/viewer', below: false, app: 'web', anonymous: true },
  { path: '/web', below: true, app: 'web' },
  { path: '/scim/v2', below: true, app: 'share-api' },
  { path: '/s', below: true, app: 'files', anonymous: true },
  { path: '/index.php/s', below: true, app: 'files', anonymous: true },
  { path: '/apps/ocm/invitation', below: false, app: 'files', anonymous: true },
  { path: '/index.php/apps/ocm/invitation', below: false, app: 'files', anonymous: true },
  { path: '/apps/ocm/open', below: true, app: 'files' },
  { path: '/index.php/apps/ocm/open', below: true, app: 'files' },
  { path: '/apps/ocm/app', below: true, app: 'files', anonymous: true },
  { path: '/index.php/apps/ocm/app', below: true, app: 'files', anonymous: true },
  { path: '/apps/ocm/invitation/accept', below: false, app: 'share-api' },
  { path: '/index.php/apps/ocm/invitation/accept', below: false, app: 'share-api' },
  { path: '/apps/files/ajax/download.php', below: false, app: 'files' },
  { path: '/index.php/apps/files/ajax/download.php', below: false, app: 'files' },
  { path: '/apps/files', below: false, app: 'files' },
  { path: '/index.php/apps/files', below: false, app: 'files' },
  { path: '/f', below: true, app: 'files' },
  { path: '/index.php/f', below: true, app: 'files' },
];

/** The app that serves `path` (without its query); undefined for none. */
export function appServing(path: string): ServingApp | undefined {
  return rowOf(path)?.app;
}

/** Whether `path` (without its query) needs no account. */
export function isAnonymousPath(path: string): boolean {
  return rowOf(path)?.anonymous ?? false;
}

/** Whether pages of other sites may call `path` (without its query), because they could call it without an account themselves. */
export function isOpenToPages(path: string): boolean {
  const row = rowOf(path);
  return row?.anonymous === true && row.checksPassword !== true;
}

const rowOf = (path: string): PathRow | undefined =>
  EXPANDED_ROWS.find(({ row, prefixes }) =>
    prefixes.some(({ exact, below }) => path === exact || (row.below && path.startsWith(below))),
  )?.row;

/** Expands `/ocs/v{1,2}.php` to `/ocs/v1.php` and `/ocs/v2.php`. */
export function alternativesOf(path: string): string[] {
  const braces = /^(.*)\{(.*)\}(.*)$/.exec(path);
  return braces ? braces[2]!.split(',').map((choice) => `${braces[1]}${choice}${braces[3]}`) : [path];
}

/** Every request with a body is looked up here. */
const EXPANDED_ROWS = PATH_TABLE.map((row) => ({
  row,
  prefixes: alternativesOf(row.path).map((path) => ({ exact: path, below: `${path}/` })),
}));
