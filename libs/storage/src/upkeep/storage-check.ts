import { NodeCheckRepository, type Database } from '#persistence';
import { PAGE, pages } from './pages';
import type { StorageProblem } from './storage-problem';
import type { UploadCheck } from './upload-check';
import type { BlobSweep } from '../blobs/blob-sweep';
import { newEtag } from '../tree/etag';

/** Finds contradictions between the node tree and the blob store; safe beside a running gateway. */
export class StorageCheck {
  constructor(
    private readonly database: Database,
    private readonly sweep: BlobSweep,
    private readonly uploads: UploadCheck,
  ) {}

  /**
   * Every problem when it is found, in constant memory.
   * @param repair removes orphaned content and uploads that lost a part, corrects wrong sizes and numbers, and shows lost nodes in the
   * trash bin; other problems cannot be repaired without guessing
   */
  async *problems(repair: boolean): AsyncGenerator<StorageProblem> {
    const nodes = new NodeCheckRepository(this.database);
    for await (const { ownerUid, path, blobKey } of this.sweep.missingContents())
      yield { kind: 'missing-content', subject: ownerUid + path, detail: blobKey, repaired: false };
    yield* this.uploads.problems(repair);
    for await (const blobKey of this.sweep.orphans(repair))
      yield { kind: 'orphaned-content', subject: blobKey, detail: '', repaired: repair };
    for await (const { ownerUid, path, nodeId } of paged((after) => nodes.misplaced(after, PAGE)))
      yield { kind: 'misplaced', subject: ownerUid + path, detail: `node ${nodeId}`, repaired: false };
    yield* this.lostTrash(nodes, repair);
    for await (const { ownerUid, path, shareId } of pages(
      (after) => nodes.wronglyHidden(after, PAGE),
      (share) => share.shareId,
      0,
    ))
      yield { kind: 'wrongly-hidden', subject: ownerUid + path, detail: `share ${shareId}`, repaired: false };
    yield* this.wrongSizes(nodes, repair);
    yield* this.wrongCounts(nodes, repair);
    yield* this.wrongVersionBytes(nodes, repair);
  }

  private async *lostTrash(nodes: NodeCheckRepository, repair: boolean): AsyncGenerator<StorageProblem> {
    for await (const node of paged((after) => nodes.lostTrash(after, PAGE))) {
      if (repair)
        await this.database.transaction((transaction) =>
          new NodeCheckRepository(transaction).mendTrash(node),
        );
      const { ownerUid, path, nodeId } = node;
      yield { kind: 'lost-trash', subject: ownerUid + path, detail: `node ${nodeId}`, repaired: repair };
    }
  }

  private async *wrongVersionBytes(
    nodes: NodeCheckRepository,
    repair: boolean,
  ): AsyncGenerator<StorageProblem> {
    const found = pages(
      (after) => nodes.wrongVersionBytes(after, PAGE),
      (storage) => storage.storageId,
      0,
    );
    for await (const { storageId, ownerUid, counted, actual } of found) {
      if (repair)
        await this.database.transaction((transaction) =>
          new NodeCheckRepository(transaction).recountVersions(storageId),
        );
      const detail = `${counted} bytes of versions in the count, ${actual} in all of them`;
      yield { kind: 'wrong-version-bytes', subject: ownerUid, detail, repaired: repair };
    }
  }

  private async *wrongCounts(nodes: NodeCheckRepository, repair: boolean): AsyncGenerator<StorageProblem> {
    const found = pages(
      (after) => nodes.wrongCounts(after, PAGE),
      (storage) => storage.storageId,
      0,
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
  pages(read, (node) => node.nodeId, 0);
