import { AsyncResource } from 'node:async_hooks';
import { isConnectionFailure, NodeWriteRepository, type Database, type Queryable } from '#persistence';
import { GrownFolders } from './grown-folders';

/** Maximum of changes in one transaction: other changes of the storage wait until it ends. */
const MOST_TOGETHER = 32;

interface WaitingChange {
  /** Path in its storage of a new entry, which is all that it adds; undefined if it changes anything else. */
  readonly newPath: string | undefined;
  /** Runs in the context of its request, so that the audit log names the right actor. */
  readonly run: (transaction: Queryable, grown: GrownFolders) => Promise<unknown>;
  readonly done: (result: unknown) => void;
  readonly failed: (failure: unknown) => void;
}

/**
 * Changes of one storage wait for each other, since each locks it as a whole. Those that come during a commit share
 * the next transaction: one lock and one commit serve all of them. Within it, new entries of different paths are made at once: their
 * statements follow each other on the connection without a pause.
 */
export class JointChanges {
  /** Waiting changes, by the id of their storage. */
  private readonly waiting = new Map<number, WaitingChange[]>();

  constructor(private readonly database: Database) {}

  /**
   * Runs `work` in a transaction that holds the lock of a storage. It may run again, as in `Database.transaction`. The
   * folders that it notes are written after all changes of the transaction.
   * @param newPath the path of the storage at which `work` makes a new entry, and changes nothing else; without it, no other change runs meanwhile
   * @throws errors of `work`; then nothing of it is stored, whatever happens to the others
   */
  run<T>(
    { storageId, newPath }: { readonly storageId: number; readonly newPath?: string },
    work: (transaction: Queryable, grown: GrownFolders) => Promise<T>,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const change: WaitingChange = {
        newPath,
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
        const grown = new GrownFolders(together.length > 1);
        const ended: unknown[] = [];
        for (const atOnce of withoutConflicts(together))
          ended.push(...(await allOf(atOnce.map((change) => change.run(transaction, grown)))));
        await grown.apply(transaction.last);
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

/** Parts in the order of the changes; each part has new entries of different paths, or a single change. */
function withoutConflicts(changes: readonly WaitingChange[]): WaitingChange[][] {
  const parts: WaitingChange[][] = [];
  let paths = new Set<string>();
  for (const change of changes) {
    const { newPath } = change;
    if (newPath !== undefined && paths.size > 0 && !paths.has(newPath)) parts.at(-1)!.push(change);
    else {
      parts.push([change]);
      paths = new Set();
    }
    if (newPath !== undefined) paths.add(newPath);
  }
  return parts;
}

/**
 * Results of all, after the last of them has ended: until then, their transaction has to stay open. @throws a failure; the loss of the
 * database before others, which follow from it
 */
async function allOf(work: readonly Promise<unknown>[]): Promise<unknown[]> {
  const ended = await Promise.allSettled(work);
  const failures = ended.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  if (failures.length > 0) throw failures.find(isConnectionFailure) ?? failures[0];
  return ended.map((one) => (one as PromiseFulfilledResult<unknown>).value);
}
