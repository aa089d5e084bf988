/** `v1.php` or `v2.php`. */
export type OcsVersion = 1 | 2;

/** Codes that need a name; every other code is an HTTP status or the provisioning API's own. */
export const OCS = {
  OK: 100,
  SERVER_ERROR: 996,
  UNAUTHORISED: 997,
  NOT_FOUND: 998,
  UNKNOWN_ROUTE: 999,
  PROVISIONING_FORBIDDEN: 104,
} as const;

export interface OcsStatus {
  readonly http: number;
  /** `ocs.meta.statuscode`. */
  readonly shown: number;
  readonly ok: boolean;
}

/** Answers about the connection rather than the call: their HTTP status is the same in both versions. */
const SAME_IN_BOTH = new Set([413, 429, 503]);
const IN_V2: Record<number, number> = {
  [OCS.OK]: 200,
  [OCS.SERVER_ERROR]: 500,
  [OCS.NOT_FOUND]: 404,
  [OCS.UNKNOWN_ROUTE]: 404,
  [OCS.PROVISIONING_FORBIDDEN]: 403,
};

/** The form of an internal code on the wire. Source: ocs-facts 2; an unknown route of v2 is 404 here. */
export function statusOf(code: number, version: OcsVersion): OcsStatus {
  if (code === OCS.UNAUTHORISED) return { http: 401, shown: code, ok: false };
  if (SAME_IN_BOTH.has(code)) return { http: code, shown: code, ok: false };
  if (version === 1) return { http: 200, shown: code, ok: code === OCS.OK };
  const http = IN_V2[code] ?? (code >= 200 && code < 600 ? code : 400);
  return { http, shown: http, ok: http === 200 };
}
