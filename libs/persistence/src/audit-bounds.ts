/** Most that the audit log keeps of one fact, in characters but for `detail`. */
export const AUDIT_BOUNDS = {
  /** Bytes of all further facts of a row together. */
  detail: 4096,
  /** User ids, hosts, ids of objects, and what a partner claims to be. */
  name: 512,
  address: 64,
  requestId: 64,
  path: 1000,
  settingValue: 1000,
  preferenceValue: 100,
  reason: 500,
} as const;

/** Rows of refusals that one actor can add in a minute; more are counted in one row. */
export const MOST_REFUSALS_A_MINUTE = 60;
