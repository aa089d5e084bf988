import { NodeCheckRepository, type Database } from '#persistence';
import type { BlobSweep } from '../blobs/blob-sweep';
import { newEtag } from '../tree/etag';

/** Something about stored files that contradicts itself. */
export interface StorageProblem {
  readonly kind:
    /** A file whose content is gone: only a backup brings it back. */
    | 'missing-content'
    /** Content that no file refers to. */
    | 'orphaned-content'
    /** A node that does not lie where its parent says. */
    | 'misplaced'
    /** A folder whose size is not that of what is in it. */
    | 'wrong-size';
  /** Owner and path, or the key of content. */
  readonly subject: string;
  readonly detail: string;
  readonly repaired: boolean;
}

const PAGE = 500;

interface Numbered {
  readonly nodeId: number;
}

/** Looks for what the node tree and the blob store say differently; safe beside a running gateway. */
export class StorageCheck {
  constructor(
    private readonly database: Database,
    private readonly sweep: BlobSweep,
  ) {}

  /**
   * Every problem as it is found, in constant memory.
   * @param repair removes orphaned content and counts wrong sizes anew; nothing else can be mended without guessing
   */
  async *problems(repair: boolean): AsyncGenerator<StorageProblem> {
    const nodes = new NodeCheckRepository(this.database);
    for await (const { ownerUid, path, blobKey } of this.sweep.missingContents())
      yield { kind: 'missing-content', subject: ownerUid + path, detail: blobKey, repaired: false };
    for await (const blobKey of this.sweep.orphans(repair))
      yield { kind: 'orphaned-content', subject: blobKey, detail: '', repaired: repair };
    for await (const { ownerUid, path, nodeId } of paged((after) => nodes.misplaced(after, PAGE)))
      yield { kind: 'misplaced', subject: ownerUid + path, detail: `node ${nodeId}`, repaired: false };
    yield* this.wrongSizes(nodes, repair);
  }

  private async *wrongSizes(nodes: NodeCheckRepository, repair: boolean): AsyncGenerator<StorageProblem> {
    const storages = new Set<number>();
    for await (const folder of paged((after) => nodes.wrongSizes(after, PAGE))) {
      const { ownerUid, path, size, entriesSize, storageId } = folder;
      storages.add(storageId);
      const detail = `${size} bytes in the tree, ${entriesSize} in its entries`;
      yield { kind: 'wrong-size', subject: ownerUid + path, detail, repaired: repair };
    }
    if (!repair) return;
    for (const storageId of storages)
      await this.database.transaction((transaction) =>
        new NodeCheckRepository(transaction).recount(storageId, newEtag(), new Date()),
      );
  }
}

async function* paged<T extends Numbered>(read: (after: number) => Promise<T[]>): AsyncGenerator<T> {
  for (let after = 0; ;) {
    const page = await read(after);
    yield* page;
    if (page.length < PAGE) return;
    after = page.at(-1)!.nodeId;
  }
}
