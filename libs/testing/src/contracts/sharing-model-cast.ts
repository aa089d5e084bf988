/** The people. Each begins with `/docs/`, `/docs/a.txt` and `/b.txt`, and the groups with these members. */
export const PEOPLE = ['alice', 'bob', 'carol', 'dave'] as const;
export const GROUPS: Readonly<Record<string, readonly string[]>> = {
  team: ['bob', 'carol'],
  crew: ['alice', 'carol', 'dave'],
};
export const FIRST_PATHS = ['/docs/', '/docs/a.txt', '/b.txt'];

/** Settings that sequences change, with their initial values. */
export const SWITCHES = {
  'core/shareapi_allow_resharing': true,
  'core/shareapi_allow_group_sharing': true,
  'core/shareapi_allow_links': true,
  'core/shareapi_allow_public_upload': true,
  'core/shareapi_auto_accept_share': true,
};
export type Switch = keyof typeof SWITCHES;

export type ModelOutcome = 'done' | 'refused';
export interface ShareWish {
  readonly path: string;
  readonly type: 0 | 1 | 3;
  readonly recipient: string;
  readonly permissions: number;
}

/** The view of one user, as sorted lines. */
export interface VisibleShares {
  /** Lines `key type recipient permissions path name` of the shares that they manage. */
  readonly managed: readonly string[];
  /** Lines `key state target permissions`. */
  readonly received: readonly string[];
  /** Names at the root of their tree. */
  readonly root: readonly string[];
}
