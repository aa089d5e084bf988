import { ADMIN_GROUP, type AccountRow, type IdentityAtSource } from '#persistence';

export { ADMIN_GROUP };

/** The user of a request. */
export interface Identity {
  readonly uid: string;
  readonly displayName: string;
  readonly email: string | null;
  readonly groups: readonly string[];
  readonly isAdmin: boolean;
  /** null: unlimited. */
  readonly quotaBytes: number | null;
}

/** An account in the memory of the process. */
export interface Account extends Identity {
  readonly passwordHash: string;
  readonly enabled: boolean;
  /** Whether the sign-in requires a second factor. */
  readonly hasSecondFactor: boolean;
  readonly language: string;
  readonly createdAt: Date;
  readonly lastLoginAt: Date | null;
  readonly subadminOf: readonly string[];
  /** Its ids at sources; empty for an account of this instance alone. */
  readonly identities: readonly IdentityAtSource[];
  /** Its sources as `kind:name`, such as `oidc:https://id.example`. */
  readonly sources: readonly string[];
  /** Fields that only its sources may change. */
  readonly managedFields: readonly string[];
  /** `app/key` to value. */
  readonly preferences: Readonly<Record<string, string>>;
}

export function accountOf(row: AccountRow): Account {
  return {
    uid: row.uid,
    displayName: row.display_name,
    email: row.email,
    groups: row.groups,
    isAdmin: row.groups.includes(ADMIN_GROUP),
    quotaBytes: row.quota_bytes,
    passwordHash: row.password_hash,
    enabled: row.enabled,
    hasSecondFactor: row.second_factor,
    language: row.language,
    createdAt: row.created_at,
    lastLoginAt: row.last_login_at,
    subadminOf: row.subadmin_of,
    identities: row.identities,
    sources: row.identities.map(({ kind, source }) => `${kind}:${source}`),
    managedFields: row.managed_fields,
    preferences: row.preferences,
  };
}
