import { SHARE_TYPES } from '#sharing';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { actingText } from '../../acting-text';
import { Database, type Transaction, violates } from '../../database';
import { UserAccountEntity } from '../../entities/accounts/user-account.entity';
import { GroupMemberEntity } from '../../entities/accounts/user-group.entity';
import { UserPreferenceEntity } from '../../entities/accounts/user-preference.entity';
import { array, bool, int8, jsonb, nullable, type RowOf, text, timestamptz } from '../../postgres-types';
import { ACTING, statement } from '../../statement';
import { StoredWriteRepository } from '../files/stored-write.repository';
import { assertNotLastAdministrator } from './last-administrator';
import { anywhere } from './search-pattern';
import type { SourceName } from './source-name';

/** Id of an account at a source. */
export interface IdentityAtSource extends SourceName {
  readonly subject: string;
  /** Time of the source, in seconds since 1970, up to which its tokens are refused; null for none. */
  readonly signedOutAt: number | null;
}

/** An account, with the facts that every decision about it needs. */
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
  /** Its ids at the sources that know it. */
  identities: jsonb<readonly IdentityAtSource[]>(),
  managed_fields: array(text),
  second_factor: bool,
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
  Pick<UserAccountEntity, 'displayName' | 'email' | 'passwordHash' | 'quotaBytes' | 'language'>
>;

const COLUMNS = `a.uid, a.display_name, a.email, a.password_hash, a.enabled, a.quota_bytes, a.language, a.created_at, a.last_login_at,
  ARRAY(SELECT m.gid FROM group_member m WHERE m.uid = a.uid ORDER BY m.gid) AS groups,
  ARRAY(SELECT s.gid FROM group_subadmin s WHERE s.uid = a.uid ORDER BY s.gid) AS subadmin_of,
  COALESCE((SELECT jsonb_object_agg(p.app || '/' || p.key, p.value) FROM user_preference p WHERE p.uid = a.uid), '{}') AS preferences,
  COALESCE((SELECT jsonb_agg(jsonb_build_object('kind', e.kind, 'source', e.source, 'subject', e.subject,
     'signedOutAt', extract(epoch FROM e.signed_out_at)) ORDER BY e.kind, e.source) FROM external_identity e WHERE e.uid = a.uid), '[]') AS identities,
  ARRAY(SELECT DISTINCT unnest(e.managed_fields) FROM external_identity e WHERE e.uid = a.uid) AS managed_fields,
  EXISTS (SELECT FROM totp t WHERE t.uid = a.uid) OR EXISTS (SELECT FROM passkey k WHERE k.uid = a.uid) AS second_factor`;

const ONE = statement({
  name: 'account.one',
  isShortRead: true,
  params: { uid: text },
  row: ACCOUNT_ROW,
  sql: `SELECT ${COLUMNS} FROM user_account a WHERE lower(a.uid) = lower(:uid)`,
});
const MANY = statement({
  name: 'account.many',
  plannedOnce: true,
  params: { uids: array(text) },
  row: ACCOUNT_ROW,
  sql: `SELECT ${COLUMNS} FROM user_account a WHERE a.uid = ANY(:uids::text[])`,
});
const JOIN_GROUPS = statement({
  name: 'account.join_groups',
  params: { groups: array(text), uid: text, acting: text },
  sql: `INSERT INTO group_member (gid, uid) SELECT gid, :uid FROM user_group WHERE gid = ANY(:groups::text[]) AND ${ACTING} ON CONFLICT DO NOTHING`,
});
const REMOVE_RECEIVED = statement({
  name: 'account.remove_received',
  params: { uid: text, acting: text },
  sql: `DELETE FROM share WHERE share_type = ${SHARE_TYPES.user} AND recipient_canonical = :uid AND ${ACTING}`,
});
const TOUCH_LOGIN = statement({
  name: 'account.touch_login',
  params: { uid: text },
  sql: 'UPDATE user_account SET last_login_at = now() WHERE uid = :uid',
});
const ADMIN_LOCK = statement({
  name: 'account.first_admin_lock',
  sql: 'SELECT pg_advisory_xact_lock(7421190002)',
});
const USED_BYTES = statement({
  name: 'account.used_bytes',
  params: { uid: text },
  row: { bytes: int8 },
  sql: `SELECT COALESCE(sum(n.size), 0)::bigint AS bytes FROM node n JOIN storage s ON s.id = n.storage_id
   WHERE s.owner_uid = :uid AND s.received_share_id IS NULL AND n.parent_id IS NULL`,
});

/** Rows of user_account and their dependent rows. */
@Injectable()
export class AccountRepository {
  constructor(
    private readonly database: Database,
    @InjectRepository(UserAccountEntity)
    private readonly accounts = database.reader(UserAccountEntity),
  ) {}

  /** Finds by id, regardless of case. */
  async find(uid: string): Promise<AccountRow | undefined> {
    return (await this.database.rows(ONE, { uid }))[0];
  }

  /** Accounts with exactly these ids, in any order. */
  async findMany(uids: readonly string[]): Promise<AccountRow[]> {
    return this.database.rows(MANY, { uids });
  }

  /** Ids in order; `search` matches inside of id and display name; `within` limits the list to members of these groups. */
  async list(
    search: string,
    limit: number | null,
    offset: number,
    within: readonly string[] | null,
  ): Promise<string[]> {
    const query = this.accounts.createQueryBuilder('account').select('account.uid').orderBy('account.uid');
    if (search !== '')
      query.andWhere('(account.uid ILIKE :pattern OR account.displayName ILIKE :pattern)', {
        pattern: anywhere(search),
      });
    if (within !== null) {
      const members = query.subQuery().select('member.uid').from(GroupMemberEntity, 'member');
      query.andWhere(`account.uid IN ${members.where('member.gid = ANY(:within)').getQuery()}`, { within });
    }
    const rows = await query
      .limit(limit ?? undefined)
      .offset(offset)
      .getMany();
    return rows.map(({ uid }) => uid);
  }

  /** @returns false if the id is taken, regardless of case */
  async insert(account: NewAccount): Promise<boolean> {
    try {
      await this.database.transaction((transaction) => insertAccount(transaction, account));
      return true;
    } catch (error) {
      if (violates(error, 'user_account_uid_folded') || violates(error, 'user_account_pkey')) return false;
      throw error;
    }
  }

  /** Makes the first account an administrator. If several callers try at once, one succeeds. @returns whether this one did */
  async insertFirst(account: NewAccount): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      await transaction.rows(ADMIN_LOCK);
      if (await (await transaction.repository(UserAccountEntity)).exists()) return false;
      await insertAccount(transaction, account);
      return true;
    });
  }

  async update(uid: string, change: AccountChange): Promise<void> {
    if (isEmpty(change)) return;
    await this.database.transaction((transaction) => updateAccount(transaction, uid, change));
  }

  /** Removes the account, its files, and the shares that it made or received. @returns whether it existed @throws LastAdministrator */
  async remove(uid: string): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      await assertNotLastAdministrator(transaction, uid);
      return removeAccount(transaction, uid);
    });
  }

  async touchLogin(uid: string): Promise<void> {
    await this.database.rows(TOUCH_LOGIN, { uid });
  }

  async setPreference(uid: string, app: string, key: string, value: string): Promise<void> {
    await this.database.write(UserPreferenceEntity, (preferences) =>
      preferences.upsert({ uid, app, key, value }, ['uid', 'app', 'key']),
    );
  }

  /** Bytes of all files of the user. */
  async usedBytes(uid: string): Promise<number> {
    return (await this.database.rows(USED_BYTES, { uid }))[0]!.bytes;
  }
}

/** Removes an account with all dependent rows; files that it wrote into received shares of others wait on. @returns whether it existed */
export async function removeAccount(transaction: Transaction, uid: string): Promise<boolean> {
  await new StoredWriteRepository(transaction).handOn(uid, null);
  // The account is deleted first: after that no new share with it can begin, and shares that are being made are visible below.
  const removed = await (await transaction.repository(UserAccountEntity)).delete({ uid });
  await transaction.rows(REMOVE_RECEIVED, { uid, acting: actingText() });
  return removed.affected === 1;
}

const isEmpty = (change: AccountChange): boolean =>
  Object.values(change).every((value) => value === undefined);

/** Changes an account within a transaction. */
export async function updateAccount(
  transaction: Transaction,
  uid: string,
  change: AccountChange,
): Promise<void> {
  if (isEmpty(change)) return;
  const { displayName, email, passwordHash, quotaBytes, language } = change;
  const credentialsVersion = passwordHash === undefined ? undefined : (): string => 'credentials_version + 1';
  const columns = { displayName, email, passwordHash, credentialsVersion, quotaBytes, language };
  await (await transaction.repository(UserAccountEntity)).update({ uid }, columns);
}

/** Changes the values of an account that differ, within a transaction, so that the same values again are no change. */
export async function adaptAccount(
  transaction: Transaction,
  uid: string,
  change: AccountChange,
): Promise<void> {
  if (isEmpty(change)) return;
  const present = await (await transaction.repository(UserAccountEntity)).findOneBy({ uid });
  if (!present) return;
  const names = Object.keys(change) as (keyof AccountChange)[];
  const differing = names.filter((name) => change[name] !== present[name]);
  await updateAccount(transaction, uid, Object.fromEntries(differing.map((name) => [name, change[name]])));
}

/** Makes an account within a transaction. Unknown groups are left out. */
export async function insertAccount(
  transaction: Transaction,
  { groups, ...account }: NewAccount,
): Promise<void> {
  await (await transaction.repository(UserAccountEntity)).insert(account);
  await transaction.rows(JOIN_GROUPS, { groups, uid: account.uid, acting: actingText() });
}
