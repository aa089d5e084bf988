import { SHARE_TYPES } from '#sharing';
import { Injectable } from '@nestjs/common';
import { actingText } from '../../acting-text';
import { Database } from '../../database';
import { UserGroupEntity } from '../../entities/accounts/user-group.entity';
import { array, int8, nullable, text } from '../../postgres-types';
import { ACTING, statement } from '../../statement';
import { anywhere } from './search-pattern';

const LIST = statement({
  name: 'group.list',
  params: { pattern: text, limit: nullable(int8), offset: int8, within: nullable(array(text)) },
  row: { gid: text },
  sql: `SELECT gid FROM user_group WHERE (:pattern = '' OR gid ILIKE :pattern) AND (:within::text[] IS NULL OR gid = ANY(:within)) ORDER BY gid LIMIT :limit OFFSET :offset`,
});
const MEMBERS = statement({
  name: 'group.members',
  params: { gid: text },
  row: { uid: text },
  sql: 'SELECT uid FROM group_member WHERE gid = :gid ORDER BY uid',
});
const SUBADMINS = statement({
  name: 'group.subadmins',
  params: { gid: text },
  row: { uid: text },
  sql: 'SELECT uid FROM group_subadmin WHERE gid = :gid ORDER BY uid',
});
const INSERT = statement({
  name: 'group.insert',
  params: { gid: text, acting: text },
  row: { gid: text },
  sql: `INSERT INTO user_group (gid) SELECT :gid WHERE ${ACTING} ON CONFLICT DO NOTHING RETURNING gid`,
});
const REMOVE_SHARES = statement({
  name: 'group.remove_shares',
  params: { gid: text, acting: text },
  sql: `DELETE FROM share WHERE share_type = ${SHARE_TYPES.group} AND recipient_canonical = :gid AND ${ACTING}`,
});
const REMOVE = statement({
  name: 'group.remove',
  params: { gid: text, acting: text },
  row: { gid: text },
  sql: `DELETE FROM user_group WHERE gid = :gid AND ${ACTING} RETURNING gid`,
});
const JOIN = statement({
  name: 'group.join',
  params: { gid: text, uid: text, acting: text },
  sql: `INSERT INTO group_member (gid, uid) SELECT :gid, :uid WHERE ${ACTING} ON CONFLICT DO NOTHING`,
});
const LEAVE = statement({
  name: 'group.leave',
  params: { gid: text, uid: text, acting: text },
  sql: `DELETE FROM group_member WHERE gid = :gid AND uid = :uid AND ${ACTING}`,
});
const FORGET_PERSONAL_ROWS = statement({
  name: 'group.forget_personal_rows',
  params: { gid: text, uid: text },
  sql: `DELETE FROM share_recipient r USING share s
   WHERE r.share_id = s.id AND s.share_type = ${SHARE_TYPES.group} AND s.recipient_canonical = :gid AND r.uid = :uid`,
});
const ADD_SUBADMIN = statement({
  name: 'group.add_subadmin',
  params: { gid: text, uid: text, acting: text },
  sql: `INSERT INTO group_subadmin (gid, uid) SELECT :gid, :uid WHERE ${ACTING} ON CONFLICT DO NOTHING`,
});
const REMOVE_SUBADMIN = statement({
  name: 'group.remove_subadmin',
  params: { gid: text, uid: text, acting: text },
  row: { gid: text },
  sql: `DELETE FROM group_subadmin WHERE gid = :gid AND uid = :uid AND ${ACTING} RETURNING gid`,
});

/** Rows of user_group and its memberships. */
@Injectable()
export class GroupRepository {
  constructor(private readonly database: Database) {}

  async exists(gid: string): Promise<boolean> {
    return this.database.dataSource.getRepository(UserGroupEntity).existsBy({ gid });
  }

  /** Ids in order; `search` matches within the id; `within` keeps these groups only. */
  async list(
    search: string,
    limit: number | null,
    offset: number,
    within: readonly string[] | null,
  ): Promise<string[]> {
    const pattern = anywhere(search);
    return (await this.database.rows(LIST, { pattern, limit, offset, within })).map((row) => row.gid);
  }

  async members(gid: string): Promise<string[]> {
    return (await this.database.rows(MEMBERS, { gid })).map((row) => row.uid);
  }

  /** Ids of those who administer the group, in order. */
  async subadmins(gid: string): Promise<string[]> {
    return (await this.database.rows(SUBADMINS, { gid })).map((row) => row.uid);
  }

  /** @returns false when it is there already */
  async insert(gid: string): Promise<boolean> {
    return (await this.database.rows(INSERT, { gid, acting: actingText() })).length > 0;
  }

  /** Removes the group and every share with it. @returns whether it was there */
  async remove(gid: string): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      // The group goes first: from then on no new share with it can begin, and those under way are seen below.
      const removed = await transaction.rows(REMOVE, { gid, acting: actingText() });
      await transaction.rows(REMOVE_SHARES, { gid, acting: actingText() });
      return removed.length > 0;
    });
  }

  async addMember(gid: string, uid: string): Promise<void> {
    await this.database.rows(JOIN, { gid, uid, acting: actingText() });
  }

  /** Ends a membership and forgets where the group's shares stood for that member. */
  async removeMember(gid: string, uid: string): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await transaction.rows(LEAVE, { gid, uid, acting: actingText() });
      await transaction.rows(FORGET_PERSONAL_ROWS, { gid, uid });
    });
  }

  async addSubadmin(gid: string, uid: string): Promise<void> {
    await this.database.rows(ADD_SUBADMIN, { gid, uid, acting: actingText() });
  }

  /** @returns whether the user was a subadmin of it */
  async removeSubadmin(gid: string, uid: string): Promise<boolean> {
    return (await this.database.rows(REMOVE_SUBADMIN, { gid, uid, acting: actingText() })).length > 0;
  }
}
