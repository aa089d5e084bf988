import { NodeWriteRepository, type Queryable } from '#persistence';
import { newEtag } from './etag';
import type { Growth } from './room';

/**
 * Folders whose content changes in one transaction. Each of them, and each folder above, gets its new size, etag and time once, at the
 * end: a row that is written many times in one transaction becomes slow to find.
 */
export class GrownFolders {
  private readonly deltas = new Map<number, number>();
  private promised: Growth = { bytes: 0, nodes: 0 };

  /** @param isShared whether the transaction has several changes */
  constructor(readonly isShared: boolean) {}

  note(folderId: number, sizeDelta: number): void {
    this.deltas.set(folderId, (this.deltas.get(folderId) ?? 0) + sizeDelta);
  }

  /**
   * Promises room to a change. @returns earlier promises to others, which the room that the change has read may still contain
   */
  promise({ bytes, nodes }: Growth): Growth {
    const before = this.promised;
    this.promised = { bytes: before.bytes + bytes, nodes: before.nodes + nodes };
    return before;
  }

  async apply(transaction: Queryable): Promise<void> {
    if (this.deltas.size === 0) return;
    const writes = new NodeWriteRepository(transaction);
    await writes.propagateAll(this.deltas, newEtag(), new Date());
  }
}
