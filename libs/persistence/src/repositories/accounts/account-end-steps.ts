import { actingText } from '../../acting-text';
import type { Database, Transaction } from '../../database';
import { AccountEndEntity } from '../../entities/accounts/account-end.entity';
import { AppPasswordEntity } from '../../entities/accounts/app-password.entity';
import { BrowserSessionEntity } from '../../entities/accounts/browser-session.entity';
import { LoginFlowEntity } from '../../entities/accounts/login-flow.entity';
import type { RowIn } from '../../statement';
import { NodeWriteRepository } from '../files/node-write.repository';
import { StoredWriteRepository } from '../files/stored-write.repository';
import * as sql from './account-end-statements';
import { eraseNext, pseudonymiseRest } from './account-traces';
import { transferNext } from './account-transfer';
import { removeAccount } from './account.repository';

const SHARES_AT_ONCE = 100;
const NODES_AT_ONCE = 500;

type Claimed = RowIn<typeof sql.CLAIM>;

/** `more`: a batch was done, and another one may follow. `waiting`: it is not due, already done, or another process is working on it. */
export type EndStep = 'more' | 'ended' | 'waiting';

/**
 * The deletion of accounts, in batches of one transaction each. A batch takes some of what is left, so another process can continue
 * after a crash, and nothing is done or reported twice.
 */
export class AccountEndSteps {
  constructor(private readonly database: Database) {}

  /** Does the next batch. */
  async next(uid: string): Promise<EndStep> {
    return this.database.transaction(async (transaction) => {
      const [end] = await transaction.rows(sql.CLAIM, { uid });
      if (!end) return 'waiting';
      for (const batch of BATCHES) if (await batch(transaction, end)) return 'more';
      await removeAccount(transaction, uid);
      await pseudonymiseRest(transaction, end);
      return 'ended';
    });
  }
}

/** Each does one batch, and returns false if there was nothing to do. */
const BATCHES: readonly ((transaction: Transaction, end: Claimed) => Promise<boolean>)[] = [
  begin,
  async (transaction, { uid, successorUid, folderId }) =>
    successorUid !== null && transferNext(transaction, { uid, successorUid, folderId }),
  async (transaction, { uid, successorUid }) =>
    successorUid !== null && new StoredWriteRepository(transaction).handOn(uid, successorUid),
  async (transaction, { uid }) =>
    (await transaction.rows(sql.END_SHARES, { uid, limit: SHARES_AT_ONCE, acting: actingText() })).length > 0,
  async (transaction, { uid }) =>
    (await transaction.rows(sql.LEAVE_RECEIVED, { uid, limit: SHARES_AT_ONCE, acting: actingText() }))
      .length > 0,
  removeLeaves,
  eraseNext,
];

/** From here on the deletion cannot be undone. */
async function begin(transaction: Transaction, { uid, beganAt }: Claimed): Promise<boolean> {
  if (beganAt !== null) return false;
  await (await transaction.repository(AccountEndEntity)).update({ uid }, { beganAt: () => 'now()' });
  for (const entity of [AppPasswordEntity, BrowserSessionEntity, LoginFlowEntity])
    await (await transaction.repository<{ uid: string | null }>(entity)).delete({ uid });
  return true;
}

/** The sweep removes the contents. */
async function removeLeaves(transaction: Transaction, { uid }: Claimed): Promise<boolean> {
  const leaves = await transaction.rows(sql.LEAVES, { uid, limit: NODES_AT_ONCE });
  if (leaves.length === 0) return false;
  const writes = new NodeWriteRepository(transaction);
  await writes.lockStorages([...new Set(leaves.map(({ storageId }) => storageId))]);
  await writes.deleteSubtrees(leaves.map(({ id }) => id));
  return true;
}
