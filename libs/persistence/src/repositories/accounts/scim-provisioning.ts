import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { Database, violates, type Transaction } from '../../database';
import { ExternalGroupEntity } from '../../entities/accounts/external-group.entity';
import { ExternalIdentityEntity } from '../../entities/accounts/external-identity.entity';
import { ScimResourceEntity } from '../../entities/accounts/scim-resource.entity';
import { UserGroupEntity } from '../../entities/accounts/user-group.entity';
import { insertAccount, type NewAccount } from './account.repository';
import type { ManagedField } from './external-identity.repository';
import type { SourceName } from './source-name';
import type { NewScimResource } from './scim-resource.repository';

const TAKEN = ['user_account_uid_folded', 'user_account_pkey', 'user_group_pkey', 'scim_resource_by_name'];

/**
 * Makes accounts and groups of SCIM clients, together with their identity at the source and their resource. The
 * resource's id is the subject.
 */
@Injectable()
export class ScimProvisioning {
  constructor(private readonly database: Database) {}

  /** @returns the id of the resource; undefined if the name is taken */
  createAccount(
    account: NewAccount,
    { kind, source }: SourceName,
    manages: readonly ManagedField[],
    resource: NewScimResource,
  ): Promise<string | undefined> {
    return this.create(resource, async (transaction, subject) => {
      await insertAccount(transaction, account);
      const identity = { kind, source, subject, uid: account.uid, managedFields: [...manages] };
      await (await transaction.repository(ExternalIdentityEntity)).insert(identity);
    });
  }

  /** @returns the id of the resource; undefined if the name is taken */
  createGroup(
    gid: string,
    { kind, source }: SourceName,
    resource: NewScimResource,
  ): Promise<string | undefined> {
    return this.create(resource, async (transaction, subject) => {
      await (await transaction.repository(UserGroupEntity)).insert({ gid });
      await (await transaction.repository(ExternalGroupEntity)).insert({ kind, source, subject, gid });
    });
  }

  private async create(
    resource: NewScimResource,
    make: (transaction: Transaction, id: string) => Promise<void>,
  ): Promise<string | undefined> {
    const id = randomUUID();
    const values = { ...resource, id, foldedName: resource.name.toLowerCase() };
    try {
      await this.database.transaction(async (transaction) => {
        await make(transaction, id);
        await (await transaction.repository(ScimResourceEntity)).insert(values);
      });
      return id;
    } catch (error) {
      if (TAKEN.some((name) => violates(error, name))) return undefined;
      throw error;
    }
  }
}
