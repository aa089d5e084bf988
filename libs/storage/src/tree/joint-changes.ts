import { AsyncResource } from 'node:async_hooks';
import { isConnectionFailure, NodeWriteRepository, type Database, type Queryable } from '#persistence';
import { GrownFolders } from './grown-folders';

/** Maximum of changes in one transaction: other changes of the storage wait until it ends. */
const MOST_TOGETHER = 32;

interface WaitingChange {
  /** Runs in the context of its request, so that the audit log names the right actor. */
  readonly run: (transaction: Queryable, grown: GrownFolders) => Promise<unknown>;
  readonly done: (result: unknown) => void;
  readonly failed: (failure: unknown) => void;
}

/**
 * Changes of one storage wait for each other, since each locks it as a whole. Those that come during a commit share
 * the next transaction: one lock and one commit serve all of them.
 */
export class JointChanges {
  /** Waiting changes, by the id of their storage. */
  private readonly waiting = new Map<number, WaitingChange[]>();

  constructor(private readonly database: Database) {}

  /**
   * Runs `work` in a transaction that holds the lock of a storage. It may run again, as in `Database.transaction`. The
   * folders that it notes
   * are written after all changes of the transaction.
   * @throws errors of `work`; then nothing of it is stored, whatever happens to the others
   */
  run<T>(storageId: number, work: (transaction: Queryable, grown: GrownFolders) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const change: WaitingChange = {
        run: AsyncResource.bind(work),
        done: (result) => resolve(result as T),
        failed: reject,
      };
      const waiting = this.waiting.get(storageId);
      if (waiting) {
        waiting.push(change);
        return;
      }
      this.waiting.set(storageId, [change]);
      void this.serve(storageId);
    });
  }

  /** Never throws: each change gets its own result. */
  private async serve(storageId: number): Promise<void> {
    const waiting = this.waiting.get(storageId)!;
    while (waiting.length > 0) await this.commit(storageId, waiting.splice(0, MOST_TOGETHER));
    this.waiting.delete(storageId);
  }

  private async commit(storageId: number, together: readonly WaitingChange[]): Promise<void> {
    try {
      const results = await this.database.transaction(async (transaction) => {
        await new NodeWriteRepository(transaction).lockStorages([storageId]);
        const grown = new GrownFolders();
        const ended: unknown[] = [];
        for (const change of together) ended.push(await change.run(transaction, grown));
        await grown.apply(transaction);
        return ended;
      });
      for (const [index, change] of together.entries()) change.done(results[index]);
    } catch (failure) {
      // All were undone, so each is tried alone. If the database was lost they may be committed, and must not run a second time.
      const [only, ...others] = together;
      if (others.length === 0) only!.failed(failure);
      else if (isConnectionFailure(failure)) for (const change of together) change.failed(failure);
      else for (const change of together) await this.commit(storageId, [change]);
    }
  }
}
