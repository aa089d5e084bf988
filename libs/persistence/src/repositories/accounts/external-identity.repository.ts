import { Injectable } from '@nestjs/common';
import { IsNull, Not } from 'typeorm';
import { Database, violates } from '../../database';
import { ExternalIdentityEntity } from '../../entities/accounts/external-identity.entity';
import { int8, nullable, text, timestamptz } from '../../postgres-types';
import { statement } from '../../statement';
import { insertAccount, type NewAccount } from './account.repository';
import type { SourceName } from './source-name';

/** A field of an account that a source can keep for itself. */
export type ManagedField = 'displayName' | 'email' | 'quota' | 'password';

/** An account as its source knows it. */
export type ExternalIdentity = Readonly<
  Pick<
    ExternalIdentityEntity,
    'subject' | 'uid' | 'disabledAt' | 'createdAt' | 'seenAt' | 'toldAt' | 'signedOutAt'
  > & {
    managedFields: readonly string[];
  }
>;

/** An account of a directory that is read, as it is here. */
export interface ReadIdentity {
  readonly subject: string;
  readonly uid: string;
  readonly place: string | null;
  readonly goneAt: Date | null;
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
    displayName: text,
    email: nullable(text),
    quotaBytes: nullable(int8),
  },
  sql: `SELECT e.subject, e.uid, e.place, e.gone_at AS "goneAt", a.display_name AS "displayName", a.email, a.quota_bytes AS "quotaBytes"
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
   * Makes an account and its identity at once.
   * @returns `uid-taken` where another account has the id in whatever case, `known` where the source's id has an account by now
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

  /** All accounts of a directory that is read, in no order. */
  async read({ kind, source }: SourceName): Promise<readonly ReadIdentity[]> {
    return this.database.rows(READ, { kind, source });
  }

  /** The identity that an account has at the source. */
  async ofAccount({ kind, source }: SourceName, uid: string): Promise<ExternalIdentity | undefined> {
    return (await this.identities.findOneBy({ kind, source, uid })) ?? undefined;
  }

  /** Notes where a person stands in the directory, or that it does not have them any more. */
  async notePlace(
    { kind, source }: SourceName,
    subject: string,
    place: { readonly place: string } | { readonly goneAt: Date | null },
  ): Promise<void> {
    await this.database.write(ExternalIdentityEntity, (identities) =>
      identities.update({ kind, source, subject }, place),
    );
  }

  /** Gives an account that there is to an id of a source. @returns false where either has another already */
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

  /** Ends that the source knows this account. @returns whether it did */
  async detach({ kind, source }: SourceName, uid: string): Promise<boolean> {
    const removed = await this.database.write(ExternalIdentityEntity, (identities) =>
      identities.delete({ kind, source, uid }),
    );
    return removed.affected === 1;
  }

  /** Notes that the source told of an account, and the fields it keeps for itself. */
  async noteSeen(
    { kind, source }: SourceName,
    subject: string,
    managedFields: readonly ManagedField[],
  ): Promise<void> {
    await this.database.write(ExternalIdentityEntity, (identities) =>
      identities.update(
        { kind, source, subject },
        { seenAt: () => 'now()', managedFields: [...managedFields] },
      ),
    );
  }

  /** Notes of when the newest news about the account are, by the clock of the source. */
  async noteClaimsAt({ kind, source }: SourceName, subject: string, toldAt: Date): Promise<void> {
    await this.database.write(ExternalIdentityEntity, (identities) =>
      identities
        .createQueryBuilder()
        .update()
        .set({ toldAt })
        .where({ kind, source, subject })
        .andWhere('(told_at IS NULL OR told_at < :toldAt)', { toldAt })
        .execute(),
    );
  }

  /** Ids of enabled accounts of which the source has told nothing for so many days, those for longest first. */
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

  /** Notes that the source has disabled the account, or that it has not. */
  async noteDisabled({ kind, source }: SourceName, subject: string, isDisabled: boolean): Promise<void> {
    await this.database.write(ExternalIdentityEntity, (identities) =>
      identities.update({ kind, source, subject }, { disabledAt: isDisabled ? () => 'now()' : null }),
    );
  }

  /** Whether a source has disabled the account. */
  async isDisabled(uid: string): Promise<boolean> {
    return this.identities.existsBy({ uid, disabledAt: Not(IsNull()) });
  }

  /** An administrator has decided about the account: no source enables it again. */
  async forgetDisabled(uid: string): Promise<void> {
    await this.database.write(ExternalIdentityEntity, (identities) =>
      identities.update({ uid }, { disabledAt: null }),
    );
  }
}
