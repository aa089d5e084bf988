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
    /** A node in the trash bin that its owner does not see there, or the other way round. */
    | 'lost-trash'
    /** A share that is hidden, and its node is not in the trash bin; or the other way round. */
    | 'wrongly-hidden'
    /** A folder whose size is not that of what is in it. */
    | 'wrong-size'
    /** A user's files and folders are not as many as their storage says. */
    | 'wrong-count';
  /** Owner and path, or the key of content. */
  readonly subject: string;
  readonly detail: string;
  readonly repaired: boolean;
}

const PAGE = 500;

/** Looks for what the node tree and the blob store say differently; safe beside a running gateway. */
export class StorageCheck {
  constructor(
    private readonly database: Database,
    private readonly sweep: BlobSweep,
  ) {}

  /**
   * Every problem as it is found, in constant memory.
   * @param repair removes orphaned content and counts wrong sizes and numbers anew; nothing else can be mended without guessing
   */
  async *problems(repair: boolean): AsyncGenerator<StorageProblem> {
    const nodes = new NodeCheckRepository(this.database);
    for await (const { ownerUid, path, blobKey } of this.sweep.missingContents())
      yield { kind: 'missing-content', subject: ownerUid + path, detail: blobKey, repaired: false };
    for await (const blobKey of this.sweep.orphans(repair))
      yield { kind: 'orphaned-content', subject: blobKey, detail: '', repaired: repair };
    for await (const { ownerUid, path, nodeId } of paged((after) => nodes.misplaced(after, PAGE)))
      yield { kind: 'misplaced', subject: ownerUid + path, detail: `node ${nodeId}`, repaired: false };
    for await (const { ownerUid, path, nodeId } of paged((after) => nodes.lostTrash(after, PAGE)))
      yield { kind: 'lost-trash', subject: ownerUid + path, detail: `node ${nodeId}`, repaired: false };
    for await (const { ownerUid, path, shareId } of pages(
      (after) => nodes.wronglyHidden(after, PAGE),
      (share) => share.shareId,
    ))
      yield { kind: 'wrongly-hidden', subject: ownerUid + path, detail: `share ${shareId}`, repaired: false };
    yield* this.wrongSizes(nodes, repair);
    yield* this.wrongCounts(nodes, repair);
  }

  private async *wrongCounts(nodes: NodeCheckRepository, repair: boolean): AsyncGenerator<StorageProblem> {
    const found = pages(
      (after) => nodes.wrongCounts(after, PAGE),
      (storage) => storage.storageId,
    );
    for await (const { storageId, ownerUid, counted, actual } of found) {
      if (repair)
        await this.database.transaction((transaction) =>
          new NodeCheckRepository(transaction).recountNodes(storageId),
        );
      const detail = `${counted} files and folders in the count, ${actual} in the tree`;
      yield { kind: 'wrong-count', subject: ownerUid, detail, repaired: repair };
    }
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

const paged = <T extends { readonly nodeId: number }>(read: (after: number) => Promise<T[]>) =>
  pages(read, (node) => node.nodeId);

async function* pages<T>(
  read: (after: number) => Promise<T[]>,
  idOf: (found: T) => number,
): AsyncGenerator<T> {
  for (let after = 0; ;) {
    const page = await read(after);
    yield* page;
    if (page.length < PAGE) return;
    after = idOf(page.at(-1)!);
  }
}
