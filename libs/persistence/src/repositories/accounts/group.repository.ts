import { SHARE_TYPES } from '#sharing';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { And, ILike, In } from 'typeorm';
import { actingText } from '../../acting-text';
import { Database, violatesForeignKey, type Transaction } from '../../database';
import { ExternalMembershipEntity } from '../../entities/accounts/external-group.entity';
import {
  GroupMemberEntity,
  GroupSubadminEntity,
  UserGroupEntity,
} from '../../entities/accounts/user-group.entity';
import { bool, int8, text, type RowOf } from '../../postgres-types';
import { ACTING, statement } from '../../statement';
import { ADMIN_GROUP, assertNotLastAdministrator } from './last-administrator';
import { endMemberships, lockGroups } from './memberships';
import { anywhere } from './search-pattern';

const EXISTS = statement({
  name: 'group.exists',
  params: { gid: text },
  row: { present: bool },
  sql: 'SELECT EXISTS (SELECT FROM user_group WHERE gid = :gid) AS present',
});
const REMOVE_SHARES = statement({
  name: 'group.remove_shares',
  params: { gid: text, acting: text },
  sql: `DELETE FROM share WHERE share_type = ${SHARE_TYPES.group} AND recipient_canonical = :gid AND ${ACTING}`,
});

const PERSON = { uid: text, displayName: text, enabled: bool };
/** A member of a group, as others see them. */
export type GroupMemberRow = RowOf<typeof PERSON>;
const PEOPLE = statement({
  name: 'group.people',
  params: { gid: text, most: int8 },
  row: PERSON,
  sql: `SELECT a.uid, a.display_name AS "displayName", a.enabled FROM group_member m JOIN user_account a ON a.uid = m.uid
   WHERE m.gid = :gid ORDER BY a.uid LIMIT :most`,
});

/** Rows of user_group and its memberships. */
@Injectable()
export class GroupRepository {
  constructor(
    private readonly database: Database,
    @InjectRepository(UserGroupEntity)
    private readonly groups = database.reader(UserGroupEntity),
    @InjectRepository(GroupMemberEntity)
    private readonly memberships = database.reader(GroupMemberEntity),
    @InjectRepository(GroupSubadminEntity)
    private readonly subadministrators = database.reader(GroupSubadminEntity),
  ) {}

  async exists(gid: string): Promise<boolean> {
    return (await this.database.rows(EXISTS, { gid }))[0]!.present;
  }

  /** Ids in order; `search` matches inside of the id; `within` limits the list to these groups. */
  async list(
    search: string,
    limit: number | null,
    offset: number,
    within: readonly string[] | null,
  ): Promise<string[]> {
    const gid = And(
      ...(search === '' ? [] : [ILike(anywhere(search))]),
      ...(within === null ? [] : [In(within)]),
    );
    const rows = await this.groups.find({
      select: { gid: true },
      where: search === '' && within === null ? {} : { gid },
      order: { gid: 'ASC' },
      take: limit ?? undefined,
      skip: offset,
    });
    return rows.map((row) => row.gid);
  }

  async members(gid: string): Promise<string[]> {
    const rows = await this.memberships.find({ where: { gid }, order: { uid: 'ASC' } });
    return rows.map(({ uid }) => uid);
  }

  /** Members with their names, at most `most`, in the order of their ids; none if there is no such group. */
  people(gid: string, most: number): Promise<GroupMemberRow[]> {
    return this.database.rows(PEOPLE, { gid, most });
  }

  /** Ids of the group's administrators, in order. */
  async subadmins(gid: string): Promise<string[]> {
    const rows = await this.subadministrators.find({ where: { gid }, order: { uid: 'ASC' } });
    return rows.map(({ uid }) => uid);
  }

  /** @returns false if it already exists */
  async insert(gid: string): Promise<boolean> {
    const made = await this.database.write(UserGroupEntity, (groups) =>
      groups.createQueryBuilder().insert().values({ gid }).orIgnore().returning(['gid']).execute(),
    );
    return (made.raw as unknown[]).length === 1;
  }

  /** Removes the group: see `removeGroup`. */
  async remove(gid: string): Promise<readonly string[]> {
    return this.database.transaction((transaction) => removeGroup(transaction, gid));
  }

  /** @returns false if the group or the account is gone */
  addMember(gid: string, uid: string): Promise<boolean> {
    return unlessGone(
      this.database.write(GroupMemberEntity, (memberships) =>
        memberships.createQueryBuilder().insert().values({ gid, uid }).orIgnore().execute(),
      ),
    );
  }

  /**
   * Ends a membership that no source gives, and deletes the member's places of the group's shares.
   * @returns false if a source gives it @throws LastAdministrator
   */
  async removeMember(gid: string, uid: string): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      await lockGroups(transaction, [gid]);
      if (await (await transaction.repository(ExternalMembershipEntity)).existsBy({ gid, uid })) return false;
      if (gid === ADMIN_GROUP) await assertNotLastAdministrator(transaction, uid);
      await endMemberships(transaction, [{ gid, uid }]);
      return true;
    });
  }

  /** @returns false if the group or the account is gone */
  addSubadmin(gid: string, uid: string): Promise<boolean> {
    return unlessGone(
      this.database.write(GroupSubadminEntity, (subadministrators) =>
        subadministrators.createQueryBuilder().insert().values({ gid, uid }).orIgnore().execute(),
      ),
    );
  }

  /** @returns whether the user was a subadmin of it */
  async removeSubadmin(gid: string, uid: string): Promise<boolean> {
    const removed = await this.database.write(GroupSubadminEntity, (subadministrators) =>
      subadministrators.delete({ gid, uid }),
    );
    return removed.affected === 1;
  }
}

/** Removes the group and every share with it, in a transaction. @returns user ids of its former members */
export async function removeGroup(transaction: Transaction, gid: string): Promise<readonly string[]> {
  const members = await (await transaction.repository(GroupMemberEntity)).findBy({ gid });
  // The group is deleted first: after that no new share with it can begin, and shares that are being made are visible below.
  await (await transaction.repository(UserGroupEntity)).delete({ gid });
  await transaction.rows(REMOVE_SHARES, { gid, acting: actingText() });
  return members.map(({ uid }) => uid);
}

/** @returns false if a row that the new one names was deleted in the meantime */
async function unlessGone(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (violatesForeignKey(error)) return false;
    throw error;
  }
}
