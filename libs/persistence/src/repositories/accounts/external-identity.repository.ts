import { Injectable } from '@nestjs/common';
import { Database, violates, type Transaction } from '../../database';
import { ExternalIdentityEntity } from '../../entities/accounts/external-identity.entity';
import { bool, int8, nullable, text, timestamptz } from '../../postgres-types';
import { statement } from '../../statement';
import { disableForSource, enableForSource, lockAccountState } from './account-state.repository';
import { adaptAccount, insertAccount, type AccountChange, type NewAccount } from './account.repository';
import { changeGiven } from './given-memberships';
import type { SourceName } from './source-name';

/** A field of an account that only a source may change. */
export type ManagedField = 'displayName' | 'email' | 'quota' | 'password';

/** An account, as its source knows it. */
export type ExternalIdentity = Readonly<
  Pick<
    ExternalIdentityEntity,
    'subject' | 'uid' | 'disabledAt' | 'createdAt' | 'seenAt' | 'goneAt' | 'toldAt' | 'signedOutAt'
  > & {
    managedFields: readonly string[];
  }
>;

/** Content of a report of a source about one of its accounts. Values that are undefined stay. */
export interface AccountReport {
  readonly account: AccountChange;
  /** Fields that only the source may change. */
  readonly managedFields: readonly ManagedField[];
  /** For a report that admits the person: the account is enabled, if the source disabled it. */
  readonly admitted?: {
    /** Time of the report, by the clock of the source. */
    readonly at: Date;
    /** The groups that the source gives to the account. */
    readonly gids: readonly string[] | undefined;
  };
}

/** A local account of a person in a read directory. */
export interface ReadIdentity {
  readonly subject: string;
  readonly uid: string;
  readonly place: string | null;
  readonly goneAt: Date | null;
  /** Whether the directory disabled the account. */
  readonly isDisabled: boolean;
  readonly displayName: string;
  readonly email: string | null;
  readonly quotaBytes: number | null;
}

const READ = statement({
  name: 'external_identity.read',
  params: { kind: text, source: text },
  row: {
    subject: text,
    uid: text,
    place: nullable(text),
    goneAt: nullable(timestamptz),
    isDisabled: bool,
    displayName: text,
    email: nullable(text),
    quotaBytes: nullable(int8),
  },
  sql: `SELECT e.subject, e.uid, e.place, e.gone_at AS "goneAt", e.disabled_at IS NOT NULL AS "isDisabled",
     a.display_name AS "displayName", a.email, a.quota_bytes AS "quotaBytes"
   FROM external_identity e JOIN user_account a ON a.uid = e.uid WHERE e.kind = :kind AND e.source = :source`,
});

/** Identities of accounts at sources, by their stable id there. */
@Injectable()
export class ExternalIdentityRepository {
  private readonly identities;

  constructor(private readonly database: Database) {
    this.identities = database.reader(ExternalIdentityEntity);
  }

  async find({ kind, source }: SourceName, subject: string): Promise<ExternalIdentity | undefined> {
    return (await this.identities.findOneBy({ kind, source, subject })) ?? undefined;
  }

  /** All identities of a source, in order of their ids there. */
  async list({ kind, source }: SourceName): Promise<readonly ExternalIdentity[]> {
    return this.identities.find({ where: { kind, source }, order: { subject: 'ASC' } });
  }

  /**
   * Makes an account and its identity together.
   * @returns `uid-taken` if another account has the id, regardless of case; `known` if the source's id already has an account
   */
  async create(
    account: NewAccount,
    { kind, source }: SourceName,
    identity: { readonly subject: string; readonly managedFields: readonly ManagedField[] },
  ): Promise<'created' | 'uid-taken' | 'known'> {
    const { subject, managedFields } = identity;
    try {
      await this.database.transaction(async (transaction) => {
        await insertAccount(transaction, account);
        const identities = await transaction.repository(ExternalIdentityEntity);
        await identities.insert({
          kind,
          source,
          subject,
          uid: account.uid,
          managedFields: [...managedFields],
        });
      });
      return 'created';
    } catch (error) {
      if (violates(error, 'external_identity_pkey')) return 'known';
      if (violates(error, 'user_account_uid_folded') || violates(error, 'user_account_pkey'))
        return 'uid-taken';
      throw error;
    }
  }

  /** All accounts of a read directory, in any order. */
  async read({ kind, source }: SourceName): Promise<readonly ReadIdentity[]> {
    return this.database.rows(READ, { kind, source });
  }

  /** The identity of an account at the source. */
  async ofAccount({ kind, source }: SourceName, uid: string): Promise<ExternalIdentity | undefined> {
    return (await this.identities.findOneBy({ kind, source, uid })) ?? undefined;
  }

  /** Notes the place of a person at the source, or that it no longer has them. */
  async notePlace(
    { kind, source }: SourceName,
    subject: string,
    place: { readonly place: string } | { readonly goneAt: Date | null },
  ): Promise<void> {
    await this.database.write(ExternalIdentityEntity, (identities) =>
      identities.update({ kind, source, subject }, place),
    );
  }

  /** Links an existing account to an id of a source. @returns false if either already has a link */
  async attach(
    { kind, source }: SourceName,
    identity: {
      readonly subject: string;
      readonly uid: string;
      readonly managedFields: readonly ManagedField[];
    },
  ): Promise<boolean> {
    const row = { kind, source, ...identity, managedFields: [...identity.managedFields] };
    const made = await this.database.write(ExternalIdentityEntity, (identities) =>
      identities.createQueryBuilder().insert().values(row).orIgnore().returning(['uid']).execute(),
    );
    return (made.raw as unknown[]).length === 1;
  }

  /** Removes the link between the source and this account. @returns whether there was one */
  async detach({ kind, source }: SourceName, uid: string): Promise<boolean> {
    const removed = await this.database.write(ExternalIdentityEntity, (identities) =>
      identities.delete({ kind, source, uid }),
    );
    return removed.affected === 1;
  }

  /** Takes over a report of the source about its account, in one transaction. One that is older than another changes nothing. */
  async follow(source: SourceName, uid: string, report: AccountReport): Promise<void> {
    const { account, managedFields, admitted } = report;
    await this.database.transaction(async (transaction) => {
      await lockAccountState(transaction, uid);
      if (admitted && !(await noteNewest(transaction, source, uid, admitted.at))) return;
      await adaptAccount(transaction, uid, account);
      const identities = await transaction.repository(ExternalIdentityEntity);
      const seen = { seenAt: () => 'now()', managedFields: [...managedFields] };
      await identities.update({ kind: source.kind, source: source.source, uid }, seen);
      if (admitted) await enableForSource(transaction, source, uid);
      if (admitted?.gids)
        await changeGiven(transaction, source, { uid }, { joined: admitted.gids, left: 'others' });
    });
  }

  /** Disables the account after a report that does not admit the person, unless it is older than another one. */
  async refuse(source: SourceName, uid: string, at: Date): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await lockAccountState(transaction, uid);
      if (await noteNewest(transaction, source, uid, at)) await disableForSource(transaction, source, uid);
    });
  }

  /** Ids of enabled accounts that the source has not reported for this number of days, the longest absent first. */
  async unseen({ kind, source }: SourceName, days: number, limit: number): Promise<readonly string[]> {
    const rows = await this.identities
      .createQueryBuilder('identity')
      .innerJoin('identity.account', 'account', 'account.enabled')
      .where({ kind, source })
      .andWhere('identity.seenAt < now() - make_interval(days => :days)', { days })
      .orderBy('identity.seenAt')
      .limit(limit)
      .getMany();
    return rows.map(({ subject }) => subject);
  }
}

/**
 * Notes the time of a report about an account whose state is locked, by the clock of the source.
 * @returns false if the report is older than another one
 */
async function noteNewest(
  transaction: Transaction,
  { kind, source }: SourceName,
  uid: string,
  toldAt: Date,
): Promise<boolean> {
  const identities = await transaction.repository(ExternalIdentityEntity);
  const { affected } = await identities
    .createQueryBuilder()
    .update()
    .set({ toldAt })
    .where({ kind, source, uid })
    .andWhere('(told_at IS NULL OR told_at <= :toldAt)', { toldAt })
    .execute();
  return affected === 1;
}
