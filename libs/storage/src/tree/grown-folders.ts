import { NodeWriteRepository, type Queryable } from '#persistence';
import { newEtag } from './etag';

/**
 * Folders whose content changes in one transaction. Each of them, and each folder above, gets its new size, etag and time once, at the
 * end: a row that is written many times in one transaction becomes slow to find.
 */
export class GrownFolders {
  private readonly deltas = new Map<number, number>();
  /** Bytes that are not yet added to the root of the storage; negative if contents shrank. */
  bytes = 0;

  note(folderId: number, sizeDelta: number): void {
    this.deltas.set(folderId, (this.deltas.get(folderId) ?? 0) + sizeDelta);
    this.bytes += sizeDelta;
  }

  async apply(transaction: Queryable): Promise<void> {
    if (this.deltas.size === 0) return;
    const writes = new NodeWriteRepository(transaction);
    await writes.propagateAll(this.deltas, newEtag(), new Date());
  }
}
