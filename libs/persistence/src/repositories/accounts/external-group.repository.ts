import { Injectable } from '@nestjs/common';
import { actingText } from '../../acting-text';
import { Database, violates } from '../../database';
import { ExternalGroupEntity, ExternalMembershipEntity } from '../../entities/accounts/external-group.entity';
import { UserGroupEntity } from '../../entities/accounts/user-group.entity';
import { array, text } from '../../postgres-types';
import { ACTING, statement } from '../../statement';
import { GRACE_TIME } from './account-end-statements';
import { membershipColumns, endMemberships, LISTED, LISTED_PARAMS, type Membership } from './memberships';
import type { SourceName } from './source-name';

/** A group as its source knows it. */
export type ExternalGroup = Readonly<Pick<ExternalGroupEntity, 'subject' | 'gid' | 'goneAt'>>;
const GONE = statement({
  name: 'external_group.gone',
  params: { kind: text, source: text },
  row: { subject: text },
  sql: `SELECT subject FROM external_group WHERE kind = :kind AND source = :source AND gone_at <= now() - ${GRACE_TIME}`,
});

/** Maximum of memberships per statement. */
const AT_ONCE = 2000;

/** Sources change the memberships of a group one after the other, so that each sees those that the others give. */
const LOCK = statement({
  name: 'external_group.lock',
  params: { gids: array(text) },
  sql: 'SELECT FROM user_group WHERE gid = ANY(:gids::text[]) ORDER BY gid FOR NO KEY UPDATE',
});

/** A membership that was made here does not become the source's. */
const GIVE = statement({
  name: 'external_group.give',
  params: { kind: text, source: text, ...LISTED_PARAMS, acting: text },
  sql: `WITH fresh AS (
     INSERT INTO group_member (gid, uid) SELECT gid, uid FROM ${LISTED} WHERE ${ACTING} ON CONFLICT DO NOTHING RETURNING gid, uid
   )
   INSERT INTO external_membership (gid, uid, kind, source) SELECT gid, uid, :kind, :source FROM ${LISTED}
   WHERE (gid, uid) IN (SELECT gid, uid FROM fresh)
     OR EXISTS (SELECT FROM external_membership e WHERE e.gid = listed.gid AND e.uid = listed.uid)
   ON CONFLICT DO NOTHING`,
});

/** Ends memberships that no other source gives. */
const TAKE = statement({
  name: 'external_group.take',
  params: { kind: text, source: text, ...LISTED_PARAMS },
  row: { gid: text, uid: text },
  sql: `WITH taken AS (
     DELETE FROM external_membership e USING ${LISTED}
     WHERE e.gid = listed.gid AND e.uid = listed.uid AND e.kind = :kind AND e.source = :source RETURNING e.gid, e.uid
   )
   SELECT gid, uid FROM taken WHERE NOT EXISTS (SELECT FROM external_membership other
     WHERE other.gid = taken.gid AND other.uid = taken.uid AND (other.kind <> :kind OR other.source <> :source))`,
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

  /** Whether a source gives this membership. */
  async isGiven({ gid, uid }: Membership): Promise<boolean> {
    return this.memberships.existsBy({ gid, uid });
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

  /** Memberships from this source, of an account or of a group. */
  async given(
    { kind, source }: SourceName,
    of: { readonly uid: string } | { readonly gid: string },
  ): Promise<readonly Membership[]> {
    return this.memberships.findBy({ kind, source, ...of });
  }

  /** Adds and ends memberships in one transaction. Memberships that were made here, or that another source gives, too, stay. */
  async change(
    { kind, source }: SourceName,
    changes: { readonly given: readonly Membership[]; readonly taken: readonly Membership[] },
  ): Promise<void> {
    const gids = [...changes.taken, ...changes.given].map(({ gid }) => gid);
    await this.database.transaction(async (transaction) => {
      await transaction.rows(LOCK, { gids: [...new Set(gids)] });
      for (const part of inParts(changes.taken)) {
        const ended = await transaction.rows(TAKE, { kind, source, ...membershipColumns(part) });
        await endMemberships(transaction, ended);
      }
      for (const part of inParts(changes.given))
        await transaction.rows(GIVE, { kind, source, ...membershipColumns(part), acting: actingText() });
    });
  }
}

function* inParts(memberships: readonly Membership[]): Generator<readonly Membership[]> {
  for (let at = 0; at < memberships.length; at += AT_ONCE) yield memberships.slice(at, at + AT_ONCE);
}
