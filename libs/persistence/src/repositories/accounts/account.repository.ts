import { SHARE_TYPES } from '#sharing';
import { Injectable } from '@nestjs/common';
import { actingText } from '../../acting-text';
import { Database, violates } from '../../database';
import { UserAccountEntity } from '../../entities/accounts/user-account.entity';
import { array, bool, int8, jsonb, nullable, type RowOf, text, timestamptz } from '../../postgres-types';
import { ACTING, statement } from '../../statement';
import { switchedValues } from '../../switched-values';
import { anywhere } from './search-pattern';

/** An account with what every decision about it needs. */
const ACCOUNT_ROW = {
  uid: text,
  display_name: text,
  email: nullable(text),
  password_hash: text,
  enabled: bool,
  quota_bytes: nullable(int8),
  language: text,
  created_at: timestamptz,
  last_login_at: nullable(timestamptz),
  groups: array(text),
  subadmin_of: array(text),
  /** `app/key` to value. */
  preferences: jsonb<Record<string, string>>(),
};
export type AccountRow = RowOf<typeof ACCOUNT_ROW>;

export interface NewAccount {
  readonly uid: string;
  readonly displayName: string;
  readonly email: string | null;
  readonly passwordHash: string;
  readonly groups: readonly string[];
}

export type AccountChange = Partial<
  Pick<UserAccountEntity, 'displayName' | 'email' | 'passwordHash' | 'enabled' | 'quotaBytes' | 'language'>
>;

const COLUMNS = `a.uid, a.display_name, a.email, a.password_hash, a.enabled, a.quota_bytes, a.language, a.created_at, a.last_login_at,
  ARRAY(SELECT m.gid FROM group_member m WHERE m.uid = a.uid ORDER BY m.gid) AS groups,
  ARRAY(SELECT s.gid FROM group_subadmin s WHERE s.uid = a.uid ORDER BY s.gid) AS subadmin_of,
  COALESCE((SELECT jsonb_object_agg(p.app || '/' || p.key, p.value) FROM user_preference p WHERE p.uid = a.uid), '{}') AS preferences`;

const ONE = statement({
  name: 'account.one',
  params: { uid: text },
  row: ACCOUNT_ROW,
  sql: `SELECT ${COLUMNS} FROM user_account a WHERE lower(a.uid) = lower(:uid)`,
});
const MANY = statement({
  name: 'account.many',
  params: { uids: array(text) },
  row: ACCOUNT_ROW,
  sql: `SELECT ${COLUMNS} FROM user_account a WHERE a.uid = ANY(:uids::text[])`,
});
const LIST = statement({
  name: 'account.list',
  params: { pattern: text, limit: nullable(int8), offset: int8, within: nullable(array(text)) },
  row: { uid: text },
  sql: `SELECT uid FROM user_account
   WHERE (:pattern = '' OR uid ILIKE :pattern OR display_name ILIKE :pattern) AND (:within::text[] IS NULL OR uid IN (SELECT m.uid FROM group_member m WHERE m.gid = ANY(:within)))
   ORDER BY uid LIMIT :limit OFFSET :offset`,
});
const JOIN_GROUPS = statement({
  name: 'account.join_groups',
  params: { groups: array(text), uid: text, acting: text },
  sql: `INSERT INTO group_member (gid, uid) SELECT gid, :uid FROM user_group WHERE gid = ANY(:groups::text[]) AND ${ACTING} ON CONFLICT DO NOTHING`,
});
const INSERT = statement({
  name: 'account.insert',
  params: { uid: text, displayName: text, email: nullable(text), passwordHash: text, acting: text },
  sql: `INSERT INTO user_account (uid, display_name, email, password_hash) SELECT :uid, :displayName, :email, :passwordHash WHERE ${ACTING}`,
});
/** Every value has a switch in front of it: null is one too. */
const UPDATE = statement({
  name: 'account.update',
  params: {
    uid: text,
    setsDisplayName: bool,
    displayName: nullable(text),
    setsEmail: bool,
    email: nullable(text),
    setsPasswordHash: bool,
    passwordHash: nullable(text),
    setsEnabled: bool,
    enabled: nullable(bool),
    setsQuotaBytes: bool,
    quotaBytes: nullable(int8),
    setsLanguage: bool,
    language: nullable(text),
    acting: text,
  },
  sql: `UPDATE user_account SET display_name = CASE WHEN :setsDisplayName THEN :displayName ELSE display_name END,
     email = CASE WHEN :setsEmail THEN :email ELSE email END,
     password_hash = CASE WHEN :setsPasswordHash THEN :passwordHash ELSE password_hash END,
     credentials_version = credentials_version + CASE WHEN :setsPasswordHash THEN 1 ELSE 0 END,
     enabled = CASE WHEN :setsEnabled THEN :enabled ELSE enabled END,
     quota_bytes = CASE WHEN :setsQuotaBytes THEN :quotaBytes::bigint ELSE quota_bytes END,
     language = CASE WHEN :setsLanguage THEN :language ELSE language END
   WHERE uid = :uid AND ${ACTING}`,
});
const REMOVE_RECEIVED = statement({
  name: 'account.remove_received',
  params: { uid: text, acting: text },
  sql: `DELETE FROM share WHERE share_type = ${SHARE_TYPES.user} AND recipient_canonical = :uid AND ${ACTING}`,
});
const REMOVE = statement({
  name: 'account.remove',
  params: { uid: text, acting: text },
  row: { uid: text },
  sql: `DELETE FROM user_account WHERE uid = :uid AND ${ACTING} RETURNING uid`,
});
const TOUCH_LOGIN = statement({
  name: 'account.touch_login',
  params: { uid: text },
  sql: 'UPDATE user_account SET last_login_at = now() WHERE uid = :uid',
});
const SET_PREFERENCE = statement({
  name: 'account.set_preference',
  params: { uid: text, app: text, key: text, value: text, acting: text },
  sql: `INSERT INTO user_preference (uid, app, key, value) SELECT :uid, :app, :key, :value WHERE ${ACTING}
   ON CONFLICT (uid, app, key) DO UPDATE SET value = excluded.value`,
});
const ADMIN_LOCK = statement({
  name: 'account.first_admin_lock',
  sql: 'SELECT pg_advisory_xact_lock(7421190002)',
});
const ANY_ACCOUNT = statement({
  name: 'account.any',
  row: { present: bool },
  sql: 'SELECT EXISTS (SELECT 1 FROM user_account) AS present',
});
const USED_BYTES = statement({
  name: 'account.used_bytes',
  params: { uid: text },
  row: { bytes: int8 },
  sql: `SELECT COALESCE(sum(n.size), 0)::bigint AS bytes FROM node n JOIN storage s ON s.id = n.storage_id
   WHERE s.owner_uid = :uid AND s.received_share_id IS NULL AND n.parent_id IS NULL`,
});

/** Rows of user_account and what hangs on them. */
@Injectable()
export class AccountRepository {
  constructor(private readonly database: Database) {}

  /** Finds by id, regardless of case. */
  async find(uid: string): Promise<AccountRow | undefined> {
    return (await this.database.rows(ONE, { uid }))[0];
  }

  /** Accounts of exactly these ids, in no order. */
  async findMany(uids: readonly string[]): Promise<AccountRow[]> {
    return this.database.rows(MANY, { uids });
  }

  /** Ids in order; `search` matches within id and display name; `within` keeps members of these groups. */
  async list(
    search: string,
    limit: number | null,
    offset: number,
    within: readonly string[] | null,
  ): Promise<string[]> {
    const pattern = anywhere(search);
    return (await this.database.rows(LIST, { pattern, limit, offset, within })).map((row) => row.uid);
  }

  /** @returns false when the id is taken, in whatever case */
  async insert(account: NewAccount): Promise<boolean> {
    try {
      await this.database.transaction(async (transaction) => {
        await transaction.rows(INSERT, {
          uid: account.uid,
          displayName: account.displayName,
          email: account.email,
          passwordHash: account.passwordHash,
          acting: actingText(),
        });
        await transaction.rows(JOIN_GROUPS, {
          groups: account.groups,
          uid: account.uid,
          acting: actingText(),
        });
      });
      return true;
    } catch (error) {
      if (violates(error, 'user_account_uid_folded') || violates(error, 'user_account_pkey')) return false;
      throw error;
    }
  }

  /** Makes the first account an administrator; of several callers at once, one does. @returns whether this one did */
  async insertFirst(account: NewAccount): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      await transaction.rows(ADMIN_LOCK);
      if ((await transaction.rows(ANY_ACCOUNT))[0]?.present) return false;
      await transaction.rows(INSERT, {
        uid: account.uid,
        displayName: account.displayName,
        email: account.email,
        passwordHash: account.passwordHash,
        acting: actingText(),
      });
      await transaction.rows(JOIN_GROUPS, { groups: account.groups, uid: account.uid, acting: actingText() });
      return true;
    });
  }

  async update(uid: string, change: AccountChange): Promise<void> {
    const { displayName, email, passwordHash, enabled, quotaBytes, language } = change;
    const values = switchedValues({ displayName, email, passwordHash, enabled, quotaBytes, language });
    await this.database.rows(UPDATE, { uid, ...values, acting: actingText() });
  }

  /** Removes the account, its files, and the shares it made or received. @returns whether it was there */
  async remove(uid: string): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      // The account goes first: from then on no new share with it can begin, and those under way are seen below.
      const removed = await transaction.rows(REMOVE, { uid, acting: actingText() });
      await transaction.rows(REMOVE_RECEIVED, { uid, acting: actingText() });
      return removed.length > 0;
    });
  }

  async touchLogin(uid: string): Promise<void> {
    await this.database.rows(TOUCH_LOGIN, { uid });
  }

  async setPreference(uid: string, app: string, key: string, value: string): Promise<void> {
    await this.database.rows(SET_PREFERENCE, { uid, app, key, value, acting: actingText() });
  }

  /** Bytes of all files that the user owns. */
  async usedBytes(uid: string): Promise<number> {
    return (await this.database.rows(USED_BYTES, { uid }))[0]!.bytes;
  }
}
