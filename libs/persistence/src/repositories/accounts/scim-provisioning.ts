import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { Database, violates, type Transaction } from '../../database';
import { AccountEndEntity } from '../../entities/accounts/account-end.entity';
import { ExternalGroupEntity } from '../../entities/accounts/external-group.entity';
import { ExternalIdentityEntity } from '../../entities/accounts/external-identity.entity';
import { ScimResourceEntity } from '../../entities/accounts/scim-resource.entity';
import { UserGroupEntity } from '../../entities/accounts/user-group.entity';
import { requestEnd, undoEnd } from './account-end.repository';
import { disableForSource, enableForSource, lockAccountState } from './account-state.repository';
import { insertAccount, updateAccount, type AccountChange, type NewAccount } from './account.repository';
import type { ManagedField } from './external-identity.repository';
import { changeGiven, type MembershipChange } from './given-memberships';
import { removeGroup } from './group.repository';
import type { Membership } from './memberships';
import type { SourceName } from './source-name';
import {
  changeResource,
  type NewScimResource,
  type ScimResourceChange,
  type ScimResourceRow,
} from './scim-resource.repository';

const TAKEN = ['user_account_uid_folded', 'user_account_pkey', 'user_group_pkey', 'scim_resource_by_name'];

/** A client, and the fields of accounts that only it may change. */
export interface ScimSource extends SourceName {
  readonly manages: readonly ManagedField[];
}

/** New values of an account and its resource. Those that are undefined stay. */
export interface ScimAccountChange {
  readonly resource: Partial<ScimResourceChange>;
  readonly account: Pick<AccountChange, 'displayName' | 'email'>;
  /** Whether the client enables or disables the account. */
  readonly active: boolean | undefined;
}

/**
 * The reason against a change of a resource: another one has its name; another change, or the end, came first; the account does not
 * belong to the client any more; its end remains, since somebody else requested it or it has begun; it gets the files of an account that
 * is ending.
 */
export type ScimRefusal = 'taken' | 'overtaken' | 'detached' | 'ending' | 'successor';

/** Undoes a transaction. */
class Refusal extends Error {
  constructor(readonly reason: ScimRefusal) {
    super(reason);
  }
}

/**
 * Makes and changes accounts and groups of SCIM clients, together with their identity at the source, their members and their resource:
 * each call is one transaction. The resource's id is the subject.
 */
@Injectable()
export class ScimProvisioning {
  constructor(private readonly database: Database) {}

  /** @param active false: the account is disabled @returns the id of the resource; undefined if the name is taken */
  createAccount(
    account: NewAccount,
    source: ScimSource,
    resource: NewScimResource,
    active: boolean,
  ): Promise<string | undefined> {
    return this.create(resource, async (transaction, subject) => {
      const { kind, source: name, manages } = source;
      const { uid } = account;
      await insertAccount(transaction, account);
      const identity = { kind, source: name, subject, uid, managedFields: [...manages] };
      await (await transaction.repository(ExternalIdentityEntity)).insert(identity);
      if (!active) await disableForSource(transaction, source, uid);
    });
  }

  /** @param members user ids @returns the id of the resource; undefined if the name is taken */
  createGroup(
    gid: string,
    source: SourceName,
    resource: NewScimResource,
    members: readonly string[],
  ): Promise<string | undefined> {
    return this.create(resource, async (transaction, subject) => {
      const { kind, source: name } = source;
      await (await transaction.repository(UserGroupEntity)).insert({ gid });
      await (await transaction.repository(ExternalGroupEntity)).insert({ kind, source: name, subject, gid });
      await changeGiven(transaction, source, { gid }, { joined: members, left: [] });
    });
  }

  /** Changes the account of a resource in the state of this row. @returns the reason against it */
  changeAccount(
    source: ScimSource,
    row: ScimResourceRow,
    change: ScimAccountChange,
  ): Promise<ScimRefusal | undefined> {
    return this.change(async (transaction) => {
      if (!(await changeResource(transaction, row, change.resource))) throw new Refusal('overtaken');
      await lockAccountState(transaction, row.uid!);
      await changeOwn(transaction, source, row, change);
      return undefined;
    });
  }

  /**
   * Requests the end of the account of a resource, and hides the resource from its client. An end that was requested before stays whose
   * it is.
   * @returns the reason against it
   */
  endAccount(source: ScimSource, row: ScimResourceRow): Promise<ScimRefusal | undefined> {
    return this.change(async (transaction) => {
      const uid = row.uid!;
      if (!(await changeResource(transaction, row, {}, 'end'))) throw new Refusal('overtaken');
      await lockAccountState(transaction, uid);
      await noteSeen(transaction, source, row);
      const isNew = await requestEnd(transaction, { uid, successorUid: null, graceDays: null }, source);
      if (!isNew && !(await isEnding(transaction, uid))) throw new Refusal('successor');
      return undefined;
    });
  }

  /**
   * Restores the account of a resource that the client deleted, and changes it. An end that an operator undid is no obstacle.
   * @returns the reason against it
   */
  restoreAccount(
    source: ScimSource,
    row: ScimResourceRow,
    change: ScimAccountChange,
  ): Promise<ScimRefusal | undefined> {
    return this.change(async (transaction) => {
      const uid = row.uid!;
      if (!(await changeResource(transaction, row, change.resource, 'return')))
        throw new Refusal('overtaken');
      const isUndone = await undoEnd(transaction, uid, source);
      if (!isUndone && (await isEnding(transaction, uid))) throw new Refusal('ending');
      await changeOwn(transaction, source, row, change, { goneAt: null });
      return undefined;
    });
  }

  /**
   * Changes the group of a resource in the state of this row.
   * @returns the memberships that changed, or the reason against the change
   */
  changeGroup(
    source: SourceName,
    row: ScimResourceRow,
    change: Partial<ScimResourceChange>,
    members: MembershipChange,
  ): Promise<readonly Membership[] | ScimRefusal> {
    return this.change(async (transaction) => {
      if (!(await changeResource(transaction, row, change))) throw new Refusal('overtaken');
      return changeGiven(transaction, source, { gid: row.gid! }, members);
    });
  }

  /** Removes the group of a resource in the state of this row. @returns its former members, or the reason against it */
  endGroup(row: ScimResourceRow): Promise<readonly string[] | ScimRefusal> {
    return this.change(async (transaction) => {
      if (!(await changeResource(transaction, row, {}, 'end'))) throw new Refusal('overtaken');
      return removeGroup(transaction, row.gid!);
    });
  }

  private async change<T>(work: (transaction: Transaction) => Promise<T>): Promise<T | ScimRefusal> {
    try {
      return await this.database.transaction(work);
    } catch (error) {
      if (error instanceof Refusal) return error.reason;
      if (violates(error, 'scim_resource_by_name')) return 'taken';
      throw error;
    }
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

/** Changes an account whose state is locked, as the one of its client. */
async function changeOwn(
  transaction: Transaction,
  source: ScimSource,
  row: ScimResourceRow,
  { account, active }: ScimAccountChange,
  noted: { readonly goneAt?: null } = {},
): Promise<void> {
  const uid = row.uid!;
  await noteSeen(transaction, source, row, noted);
  await updateAccount(transaction, uid, account);
  if (active === true) await enableForSource(transaction, source, uid);
  if (active === false) await disableForSource(transaction, source, uid);
}

async function noteSeen(
  transaction: Transaction,
  { kind, source, manages }: ScimSource,
  { id: subject }: ScimResourceRow,
  noted: { readonly goneAt?: null } = {},
): Promise<void> {
  const identities = await transaction.repository(ExternalIdentityEntity);
  const seen = { ...noted, seenAt: () => 'now()', managedFields: [...manages] };
  const { affected } = await identities.update({ kind, source, subject }, seen);
  if (affected !== 1) throw new Refusal('detached');
}

const isEnding = async (transaction: Transaction, uid: string): Promise<boolean> =>
  (await transaction.repository(AccountEndEntity)).existsBy({ uid });
