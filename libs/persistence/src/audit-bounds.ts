/** Maximum lengths in the audit log, in characters; `detail` in bytes. */
export const AUDIT_BOUNDS = {
  /** All further facts of a row together, in bytes. */
  detail: 4096,
  /** User ids, hosts, ids of objects, and names that partners claim. */
  name: 512,
  address: 64,
  requestId: 64,
  path: 1000,
  settingValue: 1000,
  preferenceValue: 100,
  reason: 500,
} as const;

/** Maximum of rows for refusals of one actor per minute; further refusals are counted in one row. */
export const MOST_REFUSALS_A_MINUTE = 60;
