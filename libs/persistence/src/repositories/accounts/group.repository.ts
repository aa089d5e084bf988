import { Injectable } from '@nestjs/common';
import { Database } from '../../database';
import { UserGroupEntity } from '../../entities/accounts/user-group.entity';
import { decision, statement } from '../../statement';
import { anywhere } from './search-pattern';

const LIST = statement<{ gid: string }>(
  'group.list',
  `SELECT gid FROM user_group WHERE ($1 = '' OR gid ILIKE $1) AND ($4::text[] IS NULL OR gid = ANY($4)) ORDER BY gid LIMIT $2 OFFSET $3`,
);
const MEMBERS = statement<{ uid: string }>(
  'group.members',
  'SELECT uid FROM group_member WHERE gid = $1 ORDER BY uid',
);
const SUBADMINS = statement<{ uid: string }>(
  'group.subadmins',
  'SELECT uid FROM group_subadmin WHERE gid = $1 ORDER BY uid',
);
const INSERT = decision<{ gid: string }>(
  'group.insert',
  (acting) => `INSERT INTO user_group (gid) SELECT $1 WHERE ${acting} ON CONFLICT DO NOTHING RETURNING gid`,
);
const REMOVE_SHARES = decision(
  'group.remove_shares',
  (acting) => `DELETE FROM share WHERE share_type = 1 AND recipient_canonical = $1 AND ${acting}`,
);
const REMOVE = decision<{ gid: string }>(
  'group.remove',
  (acting) => `DELETE FROM user_group WHERE gid = $1 AND ${acting} RETURNING gid`,
);
const JOIN = decision(
  'group.join',
  (acting) => `INSERT INTO group_member (gid, uid) SELECT $1, $2 WHERE ${acting} ON CONFLICT DO NOTHING`,
);
const LEAVE = decision(
  'group.leave',
  (acting) => `DELETE FROM group_member WHERE gid = $1 AND uid = $2 AND ${acting}`,
);
const FORGET_PERSONAL_ROWS = statement(
  'group.forget_personal_rows',
  `DELETE FROM share_recipient r USING share s
   WHERE r.share_id = s.id AND s.share_type = 1 AND s.recipient_canonical = $1 AND r.uid = $2`,
);
const ADD_SUBADMIN = decision(
  'group.add_subadmin',
  (acting) => `INSERT INTO group_subadmin (gid, uid) SELECT $1, $2 WHERE ${acting} ON CONFLICT DO NOTHING`,
);
const REMOVE_SUBADMIN = decision<{ gid: string }>(
  'group.remove_subadmin',
  (acting) => `DELETE FROM group_subadmin WHERE gid = $1 AND uid = $2 AND ${acting} RETURNING gid`,
);

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
    return (await this.database.rows(LIST, [pattern, limit, offset, within])).map((row) => row.gid);
  }

  async members(gid: string): Promise<string[]> {
    return (await this.database.rows(MEMBERS, [gid])).map((row) => row.uid);
  }

  /** Ids of those who administer the group, in order. */
  async subadmins(gid: string): Promise<string[]> {
    return (await this.database.rows(SUBADMINS, [gid])).map((row) => row.uid);
  }

  /** @returns false when it is there already */
  async insert(gid: string): Promise<boolean> {
    return (await this.database.rows(INSERT, [gid])).length > 0;
  }

  /** Removes the group and every share with it. @returns whether it was there */
  async remove(gid: string): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      // The group goes first: from then on no new share with it can begin, and those under way are seen below.
      const removed = await transaction.rows(REMOVE, [gid]);
      await transaction.rows(REMOVE_SHARES, [gid]);
      return removed.length > 0;
    });
  }

  async addMember(gid: string, uid: string): Promise<void> {
    await this.database.rows(JOIN, [gid, uid]);
  }

  /** Ends a membership and forgets where the group's shares stood for that member. */
  async removeMember(gid: string, uid: string): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await transaction.rows(LEAVE, [gid, uid]);
      await transaction.rows(FORGET_PERSONAL_ROWS, [gid, uid]);
    });
  }

  async addSubadmin(gid: string, uid: string): Promise<void> {
    await this.database.rows(ADD_SUBADMIN, [gid, uid]);
  }

  /** @returns whether the user was a subadmin of it */
  async removeSubadmin(gid: string, uid: string): Promise<boolean> {
    return (await this.database.rows(REMOVE_SUBADMIN, [gid, uid])).length > 0;
  }
}
