import { Injectable } from '@nestjs/common';
import { IsNull, Not } from 'typeorm';
import { Database, violates } from '../../database';
import { ExternalIdentityEntity } from '../../entities/accounts/external-identity.entity';
import { insertAccount, type NewAccount } from './account.repository';

/** Kinds of sources of identities. */
type SourceKind = 'oidc' | 'ldap' | 'scim';
/** A source of identities: its kind, and its name among those of that kind, such as the issuer. */
export interface SourceName {
  readonly kind: SourceKind;
  readonly source: string;
}

/** A field of an account that a source can keep for itself. */
export type ManagedField = 'displayName' | 'email' | 'quota' | 'password';

/** An account as its source knows it. */
export type ExternalIdentity = Readonly<
  Pick<ExternalIdentityEntity, 'subject' | 'uid' | 'disabledAt' | 'createdAt' | 'seenAt'> & {
    managedFields: readonly string[];
  }
>;

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
