import { Injectable } from '@nestjs/common';
import { Database, violates } from '../../database';
import { UserAccountEntity } from '../../entities/accounts/user-account.entity';
import { decision, statement } from '../../statement';
import { anywhere } from './search-pattern';

/** An account with what every decision about it needs. */
export interface AccountRow {
  readonly uid: string;
  readonly display_name: string;
  readonly email: string | null;
  readonly password_hash: string;
  readonly enabled: boolean;
  readonly quota_bytes: number | null;
  readonly language: string;
  readonly created_at: Date;
  readonly last_login_at: Date | null;
  readonly groups: string[];
  readonly subadmin_of: string[];
  /** `app/key` to value. */
  readonly preferences: Record<string, string>;
}

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

const ONE = statement<AccountRow>(
  'account.one',
  `SELECT ${COLUMNS} FROM user_account a WHERE lower(a.uid) = lower($1)`,
);
const MANY = statement<AccountRow>(
  'account.many',
  `SELECT ${COLUMNS} FROM user_account a WHERE a.uid = ANY($1::text[])`,
);
const LIST = statement<{ uid: string }>(
  'account.list',
  `SELECT uid FROM user_account
   WHERE ($1 = '' OR uid ILIKE $1 OR display_name ILIKE $1) AND ($4::text[] IS NULL OR uid IN (SELECT m.uid FROM group_member m WHERE m.gid = ANY($4)))
   ORDER BY uid LIMIT $2 OFFSET $3`,
);
const JOIN_GROUPS = decision(
  'account.join_groups',
  (acting) =>
    `INSERT INTO group_member (gid, uid) SELECT gid, $2 FROM user_group WHERE gid = ANY($1::text[]) AND ${acting} ON CONFLICT DO NOTHING`,
);
const INSERT = decision(
  'account.insert',
  (acting) =>
    `INSERT INTO user_account (uid, display_name, email, password_hash) SELECT $1, $2, $3, $4 WHERE ${acting}`,
);
/** Every value has a switch in front of it: null is one too. */
const UPDATE = decision(
  'account.update',
  (acting) => `UPDATE user_account SET display_name = CASE WHEN $2 THEN $3 ELSE display_name END,
     email = CASE WHEN $4 THEN $5 ELSE email END,
     password_hash = CASE WHEN $6 THEN $7 ELSE password_hash END,
     credentials_version = credentials_version + CASE WHEN $6 THEN 1 ELSE 0 END,
     enabled = CASE WHEN $8 THEN $9 ELSE enabled END,
     quota_bytes = CASE WHEN $10 THEN $11::bigint ELSE quota_bytes END,
     language = CASE WHEN $12 THEN $13 ELSE language END
   WHERE uid = $1 AND ${acting}`,
);
const REMOVE_RECEIVED = decision(
  'account.remove_received',
  (acting) => `DELETE FROM share WHERE share_type = 0 AND recipient_canonical = $1 AND ${acting}`,
);
const REMOVE = decision<{ uid: string }>(
  'account.remove',
  (acting) => `DELETE FROM user_account WHERE uid = $1 AND ${acting} RETURNING uid`,
);
const TOUCH_LOGIN = statement(
  'account.touch_login',
  'UPDATE user_account SET last_login_at = now() WHERE uid = $1',
);
const SET_PREFERENCE = decision(
  'account.set_preference',
  (acting) => `INSERT INTO user_preference (uid, app, key, value) SELECT $1, $2, $3, $4 WHERE ${acting}
   ON CONFLICT (uid, app, key) DO UPDATE SET value = excluded.value`,
);
const ADMIN_LOCK = statement('account.first_admin_lock', 'SELECT pg_advisory_xact_lock(7421190002)');
const ANY_ACCOUNT = statement<{ present: boolean }>(
  'account.any',
  'SELECT EXISTS (SELECT 1 FROM user_account) AS present',
);
const USED_BYTES = statement<{ bytes: number }>(
  'account.used_bytes',
  `SELECT COALESCE(sum(n.size), 0)::bigint AS bytes FROM node n JOIN storage s ON s.id = n.storage_id
   WHERE s.owner_uid = $1 AND s.received_share_id IS NULL AND n.parent_id IS NULL`,
);

/** Rows of user_account and what hangs on them. */
@Injectable()
export class AccountRepository {
  constructor(private readonly database: Database) {}

  /** Finds by id, regardless of case. */
  async find(uid: string): Promise<AccountRow | undefined> {
    return (await this.database.rows(ONE, [uid]))[0];
  }

  /** Accounts of exactly these ids, in no order. */
  async findMany(uids: readonly string[]): Promise<AccountRow[]> {
    return this.database.rows(MANY, [uids]);
  }

  /** Ids in order; `search` matches within id and display name; `within` keeps members of these groups. */
  async list(
    search: string,
    limit: number | null,
    offset: number,
    within: readonly string[] | null,
  ): Promise<string[]> {
    const pattern = anywhere(search);
    return (await this.database.rows(LIST, [pattern, limit, offset, within])).map((row) => row.uid);
  }

  /** @returns false when the id is taken, in whatever case */
  async insert(account: NewAccount): Promise<boolean> {
    try {
      await this.database.transaction(async (transaction) => {
        await transaction.rows(INSERT, [
          account.uid,
          account.displayName,
          account.email,
          account.passwordHash,
        ]);
        await transaction.rows(JOIN_GROUPS, [account.groups, account.uid]);
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
      await transaction.rows(INSERT, [account.uid, account.displayName, account.email, account.passwordHash]);
      await transaction.rows(JOIN_GROUPS, [account.groups, account.uid]);
      return true;
    });
  }

  async update(uid: string, change: AccountChange): Promise<void> {
    const { displayName, email, passwordHash, enabled, quotaBytes, language } = change;
    const values = [displayName, email, passwordHash, enabled, quotaBytes, language];
    await this.database.rows(UPDATE, [
      uid,
      ...values.flatMap((value) => [value !== undefined, value ?? null]),
    ]);
  }

  /** Removes the account, its files, and the shares it made or received. @returns whether it was there */
  async remove(uid: string): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      // The account goes first: from then on no new share with it can begin, and those under way are seen below.
      const removed = await transaction.rows(REMOVE, [uid]);
      await transaction.rows(REMOVE_RECEIVED, [uid]);
      return removed.length > 0;
    });
  }

  async touchLogin(uid: string): Promise<void> {
    await this.database.rows(TOUCH_LOGIN, [uid]);
  }

  async setPreference(uid: string, app: string, key: string, value: string): Promise<void> {
    await this.database.rows(SET_PREFERENCE, [uid, app, key, value]);
  }

  /** Bytes of all files that the user owns. */
  async usedBytes(uid: string): Promise<number> {
    return (await this.database.rows(USED_BYTES, [uid]))[0]!.bytes;
  }
}
