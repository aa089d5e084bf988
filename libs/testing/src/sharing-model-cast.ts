/** Who takes part. Each has `/docs/`, `/docs/a.txt` and `/b.txt` at first, and the groups their members here. */
export const PEOPLE = ['alice', 'bob', 'carol', 'dave'] as const;
export const GROUPS: Readonly<Record<string, readonly string[]>> = {
  team: ['bob', 'carol'],
  crew: ['alice', 'carol', 'dave'],
};
export const FIRST_PATHS = ['/docs/', '/docs/a.txt', '/b.txt'];

/** Settings that sequences change, and what they are at first. */
export const SWITCHES = {
  'core/shareapi_allow_resharing': true,
  'core/shareapi_allow_group_sharing': true,
  'core/shareapi_allow_links': true,
  'core/shareapi_allow_public_upload': true,
  'core/shareapi_auto_accept_share': true,
};
export type Switch = keyof typeof SWITCHES;

export type Outcome = 'done' | 'refused';
export interface ShareWish {
  readonly path: string;
  readonly type: 0 | 1 | 3;
  readonly recipient: string;
  readonly permissions: number;
}

/** What one user sees, as sorted lines. */
export interface Sight {
  /** `key type recipient permissions path name` of what he manages. */
  readonly managed: readonly string[];
  /** `key state target permissions`. */
  readonly received: readonly string[];
  /** What lies at the root of his tree. */
  readonly root: readonly string[];
}
