import { NodeWriteRepository, type Queryable } from '#persistence';
import { newEtag } from './etag';

/**
 * Folders in which changes of one transaction put content. Each of them and each folder above gets its new size, etag and time once, at the
 * end: a row that is written again and again in one transaction becomes slow to find.
 */
export class GrownFolders {
  private readonly deltas = new Map<number, number>();
  /** Bytes that the roots of the changed storage do not count yet; negative where contents shrank. */
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
