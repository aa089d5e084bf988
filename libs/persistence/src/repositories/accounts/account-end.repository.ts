import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { actingText } from '../../acting-text';
import { Database, type Transaction } from '../../database';
import { AccountEndEntity } from '../../entities/accounts/account-end.entity';
import { BrowserSessionEntity } from '../../entities/accounts/browser-session.entity';
import { ExternalIdentityEntity } from '../../entities/accounts/external-identity.entity';
import { UserAccountEntity } from '../../entities/accounts/user-account.entity';
import type { RowOf } from '../../postgres-types';
import * as sql from './account-end-statements';
import { lockAccountState } from './account-state.repository';
import { assertNotLastAdministrator } from './last-administrator';
import type { SourceName } from './source-name';

/** Number of an account's files and shares. */
export type AccountEndPreview = RowOf<(typeof sql.PREVIEW)['row']>;

/** A requested end of an account. */
export type RequestedEnd = Readonly<
  Pick<AccountEndEntity, 'uid' | 'successorUid' | 'requestedAt' | 'dueAt' | 'beganAt'>
>;

const COLUMNS = {
  uid: true,
  successorUid: true,
  requestedAt: true,
  dueAt: true,
  beganAt: true,
} as const;

export interface EndRequest {
  readonly uid: string;
  /** null: files and shares are removed. */
  readonly successorUid: string | null;
  /** null: the setting decides. */
  readonly graceDays: number | null;
}

/** Ends of accounts: previews, requests and undoing. */
@Injectable()
export class AccountEndRepository {
  constructor(private readonly database: Database) {}

  async preview(uid: string): Promise<AccountEndPreview> {
    return (await this.database.rows(sql.PREVIEW, { uid }))[0]!;
  }

  async find(uid: string): Promise<RequestedEnd | undefined> {
    const found = await this.ends.findOne({ select: COLUMNS, where: { uid } });
    return found ?? undefined;
  }

  /** Accounts whose end is due, the oldest first. */
  async due(limit: number): Promise<string[]> {
    const query = this.ends.createQueryBuilder('ending').select('ending.uid').where('ending.dueAt <= now()');
    const rows = await query.orderBy('ending.dueAt').addOrderBy('ending.uid').limit(limit).getMany();
    return rows.map(({ uid }) => uid);
  }

  /** Disables the account and ends its sessions: see `requestEnd`. */
  async request(end: EndRequest, by?: SourceName): Promise<boolean> {
    return this.database.transaction((transaction) => requestEnd(transaction, end, by));
  }

  /** Restores the account: see `undoEnd`. */
  async undo(uid: string, by?: SourceName): Promise<boolean> {
    return this.database.transaction((transaction) => undoEnd(transaction, uid, by));
  }

  private get ends() {
    return this.database.reader(AccountEndEntity);
  }
}

/**
 * Disables the account and ends its sessions, in a transaction; after the grace period it is deleted.
 * @param by the source that requests it: the time of the end is noted as the one since which it lacks the person
 * @returns false if it cannot end, or is already ending
 * @throws LastAdministrator unless a source requests it
 */
export async function requestEnd(
  transaction: Transaction,
  end: EndRequest,
  by?: SourceName,
): Promise<boolean> {
  const { uid } = end;
  if (!by) await assertNotLastAdministrator(transaction, uid);
  await lockAccountState(transaction, uid);
  const pseudonym = `ended-${randomBytes(8).toString('hex')}`;
  const made = await transaction.rows(sql.REQUEST, { ...end, pseudonym, acting: actingText() });
  if (made.length === 0) return false;
  await (await transaction.repository(UserAccountEntity)).update({ uid, enabled: true }, { enabled: false });
  await (await transaction.repository(BrowserSessionEntity)).delete({ uid });
  if (by) {
    const { kind, source } = by;
    const identities = await transaction.repository(ExternalIdentityEntity);
    await identities.update({ kind, source, uid }, { goneAt: () => 'now()' });
  }
  return true;
}

/**
 * Restores the account, in a transaction; one that a source has disabled stays disabled.
 * @param by the source that undoes it: the end of somebody else stays
 * @returns false if no end was requested, or the deletion has begun
 */
export async function undoEnd(transaction: Transaction, uid: string, by?: SourceName): Promise<boolean> {
  await lockAccountState(transaction, uid);
  const source = { kind: by?.kind ?? null, source: by?.source ?? null };
  const [undone] = await transaction.rows(sql.UNDO, { uid, ...source, acting: actingText() });
  if (undone?.isEnabled)
    await (await transaction.repository(UserAccountEntity)).update({ uid }, { enabled: true });
  return undone !== undefined;
}
