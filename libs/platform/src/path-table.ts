/** The apps that answer requests from outside. */
export type ServingApp = 'share-api' | 'capabilities' | 'files' | 'federation-api';

/** One row of the table; the first row that matches a path decides. */
export interface PathRow {
  /** A path, and everything below it where `below` is set. `{1,2}` stands for one of its alternatives. */
  readonly path: string;
  readonly below: boolean;
  readonly app: ServingApp;
}

/**
 * Who serves which path, in the order in which rows are tried. The proxy's configuration under deploy/ is written
 * from this table. `/health/*` is left out on purpose: each app answers for itself only.
 */
export const PATH_TABLE: readonly PathRow[] = [
  { path: '/ocs/v{1,2}.php/cloud/capabilities', below: true, app: 'capabilities' },
  { path: '/status.php', below: false, app: 'capabilities' },
  { path: '/ocs/v{1,2}.php/cloud/shares', below: true, app: 'federation-api' },
  { path: '/ocm', below: true, app: 'federation-api' },
  { path: '/ocm-provider', below: true, app: 'federation-api' },
  { path: '/ocs-provider', below: true, app: 'federation-api' },
  { path: '/.well-known/ocm', below: false, app: 'federation-api' },
  { path: '/remote.php', below: true, app: 'files' },
  { path: '/public.php', below: true, app: 'files' },
  { path: '/dav', below: true, app: 'files' },
  { path: '/ocs', below: true, app: 'share-api' },
  { path: '/', below: false, app: 'files' },
  { path: '/s', below: true, app: 'files' },
  { path: '/index.php/s', below: true, app: 'files' },
];

/** The app that serves `path` (without its query); undefined where none does. */
export function appServing(path: string): ServingApp | undefined {
  return PATH_TABLE.find((row) => matches(row, path))?.app;
}

function matches(row: PathRow, path: string): boolean {
  return alternativesOf(row.path).some(
    (prefix) => path === prefix || (row.below && path.startsWith(`${prefix}/`)),
  );
}

/** `/ocs/v{1,2}.php` as `/ocs/v1.php` and `/ocs/v2.php`. */
export function alternativesOf(path: string): string[] {
  const braces = /^(.*)\{(.*)\}(.*)$/.exec(path);
  return braces ? braces[2]!.split(',').map((choice) => `${braces[1]}${choice}${braces[3]}`) : [path];
}
