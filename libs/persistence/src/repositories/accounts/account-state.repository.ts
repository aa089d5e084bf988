import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../../database';
import { ExternalIdentityEntity } from '../../entities/accounts/external-identity.entity';
import { UserAccountEntity } from '../../entities/accounts/user-account.entity';
import { bool, text } from '../../postgres-types';
import { statement } from '../../statement';
import { assertNotLastAdministrator } from './last-administrator';
import type { SourceName } from './source-name';

const LOCK = statement({
  name: 'account_state.lock',
  params: { uid: text },
  sql: 'SELECT FROM user_account WHERE uid = :uid FOR NO KEY UPDATE',
});
const READ = statement({
  name: 'account_state.read',
  params: { uid: text, kind: text, source: text },
  row: { enabled: bool, isEnding: bool, isEndToUndo: bool, isDisabledHere: bool, isDisabledElsewhere: bool },
  sql: `SELECT a.enabled, e.uid IS NOT NULL AS "isEnding", coalesce(e.was_enabled, false) AS "isEndToUndo",
     EXISTS (SELECT FROM external_identity i WHERE i.uid = a.uid AND i.disabled_at IS NOT NULL AND i.kind = :kind AND i.source = :source) AS "isDisabledHere",
     EXISTS (SELECT FROM external_identity i WHERE i.uid = a.uid AND i.disabled_at IS NOT NULL AND (i.kind <> :kind OR i.source <> :source)) AS "isDisabledElsewhere"
   FROM user_account a LEFT JOIN account_end e ON e.uid = a.uid WHERE a.uid = :uid`,
});
/** No source has this name. */
const NO_SOURCE = { kind: '', source: '' };

/** Waits for other changes of whether the account is enabled, and lets others wait until the transaction ends. */
export async function lockAccountState(transaction: Transaction, uid: string): Promise<void> {
  await transaction.rows(LOCK, { uid });
}

/** Whether accounts are enabled: decisions of administrators and of sources, one after the other. */
@Injectable()
export class AccountStateRepository {
  constructor(private readonly database: Database) {}

  /** Enables the account for an administrator. @returns the reason against it */
  async enable(uid: string): Promise<'ending' | 'disabled-at-source' | undefined> {
    return this.database.transaction(async (transaction) => {
      const state = await stateOf(transaction, uid);
      if (state?.isEnding) return 'ending';
      if (state?.isDisabledElsewhere) return 'disabled-at-source';
      await setEnabled(transaction, uid, true);
      return undefined;
    });
  }

  /** Disables the account for an administrator: then no source enables it again. @throws LastAdministrator */
  async disable(uid: string): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await assertNotLastAdministrator(transaction, uid);
      await lockAccountState(transaction, uid);
      await setEnabled(transaction, uid, false);
      await (await transaction.repository(ExternalIdentityEntity)).update({ uid }, { disabledAt: null });
    });
  }

  /** Disables the account for a source: see `disableForSource`. */
  async disableBy(source: SourceName, uid: string): Promise<boolean> {
    return this.database.transaction((transaction) => disableForSource(transaction, source, uid));
  }

  /** Enables the account that a source disabled: see `enableForSource`. */
  async enableBy(source: SourceName, uid: string): Promise<boolean> {
    return this.database.transaction((transaction) => enableForSource(transaction, source, uid));
  }
}

/**
 * Disables the account for a source, in a transaction. An account that an administrator disabled stays theirs. While its end waits, this
 * is noted for an undo.
 * @returns whether it was enabled
 */
export async function disableForSource(
  transaction: Transaction,
  source: SourceName,
  uid: string,
): Promise<boolean> {
  const state = await stateOf(transaction, uid, source);
  if (!state) return false;
  const { enabled, isEndToUndo, isDisabledHere, isDisabledElsewhere } = state;
  if (!(enabled || isEndToUndo || isDisabledHere || isDisabledElsewhere)) return false;
  await noteDisabled(transaction, source, uid, true);
  if (enabled) await setEnabled(transaction, uid, false);
  return enabled;
}

/**
 * Enables the account that a source disabled, in a transaction, unless its end was requested, or another source has disabled it, too.
 * @returns whether it is enabled now and was not before
 */
export async function enableForSource(
  transaction: Transaction,
  source: SourceName,
  uid: string,
): Promise<boolean> {
  const state = await stateOf(transaction, uid, source);
  if (!state || state.enabled || !state.isDisabledHere) return false;
  const isFree = !(state.isEnding || state.isDisabledElsewhere);
  if (isFree) await setEnabled(transaction, uid, true);
  await noteDisabled(transaction, source, uid, false);
  return isFree;
}

async function stateOf(
  transaction: Transaction,
  uid: string,
  source: { kind: string; source: string } = NO_SOURCE,
) {
  await lockAccountState(transaction, uid);
  return (await transaction.rows(READ, { uid, kind: source.kind, source: source.source }))[0];
}

async function setEnabled(transaction: Transaction, uid: string, enabled: boolean): Promise<void> {
  await (await transaction.repository(UserAccountEntity)).update({ uid }, { enabled });
}

async function noteDisabled(
  transaction: Transaction,
  { kind, source }: SourceName,
  uid: string,
  isDisabled: boolean,
): Promise<void> {
  const identities = await transaction.repository(ExternalIdentityEntity);
  await identities.update({ kind, source, uid }, { disabledAt: isDisabled ? () => 'now()' : null });
}
