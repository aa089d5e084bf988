import { Injectable } from '@nestjs/common';
import { Database, type Transaction, violates } from '../../database';
import { ExternalGroupEntity, ExternalMembershipEntity } from '../../entities/accounts/external-group.entity';
import { GroupMemberEntity, UserGroupEntity } from '../../entities/accounts/user-group.entity';
import { text } from '../../postgres-types';
import { statement } from '../../statement';
import { GRACE_TIME } from './account-end-statements';
import type { SourceName } from './source-name';
import { endMembership } from './group.repository';

/** A group as its source knows it. */
export type ExternalGroup = Readonly<Pick<ExternalGroupEntity, 'subject' | 'gid' | 'goneAt'>>;
/** One account in one group. */
export interface Membership {
  readonly gid: string;
  readonly uid: string;
}

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

  /** Whether the group belongs to a source alone. */
  async isExternal(gid: string): Promise<boolean> {
    return this.groups.existsBy({ gid, merged: false });
  }

  /** Whether a source gives this membership. */
  async isGiven({ gid, uid }: Membership): Promise<boolean> {
    return this.memberships.existsBy({ gid, uid });
  }

  /**
   * Makes a group and its identity at once.
   * @param isMerged whether a group that has this id already is taken for the same
   * @returns `gid-taken` where another group has the id, `known` where the source's id has a group by now
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

  /** Notes since when the directory does not have a group any more; null: it has. */
  async noteGone({ kind, source }: SourceName, subject: string, goneAt: Date | null): Promise<void> {
    await this.database.write(ExternalGroupEntity, (groups) =>
      groups.update({ kind, source, subject }, { goneAt }),
    );
  }

  /** Groups that the directory has not had for as long as accounts have until their end. */
  async gone({ kind, source }: SourceName): Promise<string[]> {
    return (await this.database.rows(GONE, { kind, source })).map(({ subject }) => subject);
  }

  /** All memberships that this source gives. */
  async allGiven({ kind, source }: SourceName): Promise<readonly Membership[]> {
    return this.memberships.findBy({ kind, source });
  }

  /** Memberships that this source gives, of an account or of a group. */
  async given(
    { kind, source }: SourceName,
    of: { readonly uid: string } | { readonly gid: string },
  ): Promise<readonly Membership[]> {
    return this.memberships.findBy({ kind, source, ...of });
  }

  /**
   * Gives and takes memberships in one transaction. One that was given here, or that another source gives too, stays.
   */
  async change(
    source: SourceName,
    changes: { readonly given: readonly Membership[]; readonly taken: readonly Membership[] },
  ): Promise<void> {
    await this.database.transaction(async (transaction) => {
      for (const membership of changes.taken) await take(transaction, source, membership);
      for (const membership of changes.given) await give(transaction, source, membership);
    });
  }
}

async function give(
  transaction: Transaction,
  { kind, source }: SourceName,
  { gid, uid }: Membership,
): Promise<void> {
  const external = await transaction.repository(ExternalMembershipEntity);
  const members = await transaction.repository(GroupMemberEntity);
  const isMember = await members.existsBy({ gid, uid });
  if (isMember && !(await external.existsBy({ gid, uid }))) return;
  if (!isMember) await members.createQueryBuilder().insert().values({ gid, uid }).orIgnore().execute();
  await external.createQueryBuilder().insert().values({ gid, uid, kind, source }).orIgnore().execute();
}

async function take(
  transaction: Transaction,
  { kind, source }: SourceName,
  { gid, uid }: Membership,
): Promise<void> {
  const external = await transaction.repository(ExternalMembershipEntity);
  const taken = await external.delete({ gid, uid, kind, source });
  if (taken.affected === 1 && !(await external.existsBy({ gid, uid })))
    await endMembership(transaction, { gid, uid });
}
