import type { Queryable } from '../../database';
import * as sql from './lock-statements';
import type { LockRow } from './lock-statements';

/** The maker of a lock: an account, or the visitor of a link or federated share. */
export type LockMaker = { readonly uid: string } | { readonly shareId: number };

interface NewLock {
  readonly token: string;
  readonly nodeId: number;
  readonly kind: 'token' | 'user';
  readonly isExclusive: boolean;
  readonly isDeep: boolean;
  readonly maker: LockMaker;
  readonly ownerXml: string | null;
  readonly timeoutSeconds: number;
  /** Tokens of all locks above, at and below the node that have not ended. */
  readonly valid: readonly string[];
}

const BATCH = 1000;

/** Stores locks. Changes of locks take the lock of the storage, as changes of nodes do. */
export class LockRepository {
  constructor(private readonly database: Queryable) {}

  /** All valid locks of several storages, with one statement. */
  inStorages(storageIds: readonly number[]): Promise<LockRow[]> {
    return this.database.rows(sql.IN_STORAGES, { storageIds });
  }

  /** Stores a lock, and deletes those around its node that have ended. */
  async insert({ maker, ...lock }: NewLock): Promise<LockRow> {
    return (await this.database.rows(sql.INSERT, { ...lock, ...keysOf(maker) }))[0]!;
  }

  /** Numbers of locks that have not ended: of one maker, of a node and of a storage. */
  async count(
    maker: LockMaker,
    nodeId: number,
    storageId: number,
  ): Promise<{ readonly ofMaker: number; readonly ofNode: number; readonly ofStorage: number }> {
    return (await this.database.rows(sql.COUNT, { ...keysOf(maker), nodeId, storageId }))[0]!;
  }

  /** Extends locks by this time from now on. */
  refresh(tokens: readonly string[], timeoutSeconds: number): Promise<LockRow[]> {
    return this.database.rows(sql.REFRESH, { tokens, timeoutSeconds });
  }

  async remove(token: string): Promise<void> {
    await this.database.rows(sql.REMOVE, { token });
  }

  /** Whether the account is in one of the groups. */
  async isInAny(uid: string, gids: readonly string[]): Promise<boolean> {
    return (await this.database.rows(sql.IS_IN_ANY, { uid, gids })).length > 0;
  }

  /** Removes ended locks. @returns how many there were */
  async removeExpired(): Promise<number> {
    for (let removed = 0; ;) {
      const { length } = await this.database.rows(sql.REMOVE_EXPIRED, { limit: BATCH });
      removed += length;
      if (length < BATCH) return removed;
    }
  }
}

const keysOf = (maker: LockMaker): { uid: string | null; shareId: number | null } =>
  'uid' in maker ? { uid: maker.uid, shareId: null } : { uid: null, shareId: maker.shareId };
