import { Injectable } from '@nestjs/common';
import { Database, violates } from '../../database';
import { ExternalGroupEntity, ExternalMembershipEntity } from '../../entities/accounts/external-group.entity';
import { UserGroupEntity } from '../../entities/accounts/user-group.entity';
import { text } from '../../postgres-types';
import { statement } from '../../statement';
import { GRACE_TIME } from './account-end-statements';
import { changeGiven, otherEnd, type MembershipChange, type MembershipsOf } from './given-memberships';
import type { Membership } from './memberships';
import type { SourceName } from './source-name';

/** A group as its source knows it. */
export type ExternalGroup = Readonly<Pick<ExternalGroupEntity, 'subject' | 'gid' | 'goneAt'>>;
const GONE = statement({
  name: 'external_group.gone',
  params: { kind: text, source: text },
  row: { subject: text },
  sql: `SELECT subject FROM external_group WHERE kind = :kind AND source = :source AND gone_at <= now() - ${GRACE_TIME}`,
});

/** Groups and memberships that come from sources. */
@Injectable()
export class ExternalGroupRepository {
  private readonly groups;
  private readonly memberships;

  constructor(private readonly database: Database) {
    this.groups = database.reader(ExternalGroupEntity);
    this.memberships = database.reader(ExternalMembershipEntity);
  }

  async find({ kind, source }: SourceName, subject: string): Promise<ExternalGroup | undefined> {
    return (await this.groups.findOneBy({ kind, source, subject })) ?? undefined;
  }

  /** All groups of a source, in order of their ids there. */
  async list({ kind, source }: SourceName): Promise<readonly ExternalGroup[]> {
    return this.groups.find({ where: { kind, source }, order: { subject: 'ASC' } });
  }

  /** Whether the group belongs to sources only. */
  async isExternal(gid: string): Promise<boolean> {
    return this.groups.existsBy({ gid, merged: false });
  }

  /**
   * Makes a group and its identity together.
   * @param isMerged whether an existing group with this id is taken for the same one
   * @returns `gid-taken` if another group has the id, `known` if the source's id already has a group
   */
  async create(
    { kind, source }: SourceName,
    { subject, gid }: Pick<ExternalGroup, 'subject' | 'gid'>,
    isMerged: boolean,
  ): Promise<'created' | 'gid-taken' | 'known'> {
    try {
      await this.database.transaction(async (transaction) => {
        const groups = (await transaction.repository(UserGroupEntity)).createQueryBuilder();
        const insertion = groups.insert().values({ gid });
        const made = await (isMerged ? insertion.orIgnore() : insertion).returning(['gid']).execute();
        const merged = (made.raw as unknown[]).length === 0;
        await (
          await transaction.repository(ExternalGroupEntity)
        ).insert({ kind, source, subject, gid, merged });
      });
      return 'created';
    } catch (error) {
      if (violates(error, 'external_group_pkey')) return 'known';
      if (violates(error, 'user_group_pkey')) return 'gid-taken';
      throw error;
    }
  }

  /** Notes the time since which the directory lacks a group; null: it has it. */
  async noteGone({ kind, source }: SourceName, subject: string, goneAt: Date | null): Promise<void> {
    await this.database.write(ExternalGroupEntity, (groups) =>
      groups.update({ kind, source, subject }, { goneAt }),
    );
  }

  /** Groups that the directory has lacked for the whole grace period of accounts. */
  async gone({ kind, source }: SourceName): Promise<string[]> {
    return (await this.database.rows(GONE, { kind, source })).map(({ subject }) => subject);
  }

  /** All memberships from this source. */
  async allGiven({ kind, source }: SourceName): Promise<readonly Membership[]> {
    return this.memberships.findBy({ kind, source });
  }

  /** Groups of an account, or members of a group, by their ids, as this source gives them. */
  async given({ kind, source }: SourceName, of: MembershipsOf): Promise<string[]> {
    return (await this.memberships.findBy({ kind, source, ...of })).map(otherEnd(of));
  }

  /** Changes them: see `changeGiven`. @returns the memberships that changed */
  async change(
    source: SourceName,
    of: MembershipsOf,
    change: MembershipChange,
  ): Promise<readonly Membership[]> {
    return this.database.transaction((transaction) => changeGiven(transaction, source, of, change));
  }
}
