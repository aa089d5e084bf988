import { NodeRepository, type Database, type NodeRow } from '#persistence';
import type { BlobStore } from '../blobs/blob-store';
import {
  admitCopy,
  admitDownload,
  admitOriginal,
  overwritesMount,
  sourceChanged,
  visibleAt,
} from './admission';
import { CopyAllowance } from './copy-allowance';
import { discardOrphans, discardUnused } from './discard-blobs';
import type { NameRules } from './name-rules';
import { parentOf, type NodePath } from './node-path';
import type { ReceivedShares } from './received-shares';
import { clearPlace } from './relocation';
import { admitGrowth, refuseGrowth, roomIn } from './room';
import { copiesOf, copyContents, subtreeToCopy, type CopiedContents } from './subtree-copy';
import type { TreeMover } from './tree-mover';
import { TreeTransaction } from './tree-transaction';
import type { CopyOptions, MoveResult } from './transfer-options';
import type { Place } from './place';
import { nodeIn, type TreeView } from './tree-view';
import type { VisibleNode } from './visible-node';
import { concernsPartner, placesOf } from '../mounted/consulted-place';
import type { RemoteTransfer } from '../mounted/remote-transfer';

interface CopyPaths {
  readonly from: NodePath;
  readonly to: NodePath;
  /** Whether there is a received share at `to`, which its recipient gives up for the copy. */
  readonly overMount: boolean;
}

/** Copies entries of a tree. Received shares that are mounted below a copied folder are not copied. */
export class TreeCopier {
  constructor(
    private readonly database: Database,
    private readonly blobs: BlobStore,
    private readonly received: ReceivedShares,
    private readonly remote: RemoteTransfer,
    private readonly names: NameRules,
    private readonly mover: TreeMover,
  ) {}

  /**
   * @throws TreeFailure `not-found`, `forbidden`, `view-only`, `overlapping`, `precondition-failed`, `parent-missing`,
   * `too-many-entries`, `quota-exceeded`, `too-many-nodes`, `path-too-long`, names, `changed-meanwhile` if the source
   * changes during the copy
   */
  async copy(view: TreeView, from: NodePath, to: NodePath, options: CopyOptions): Promise<MoveResult> {
    await this.received.placeFor(view);
    const nodes = new NodeRepository(this.database);
    const found = await placesOf(this.database, view, from, to);
    if (visibleAt(from, found.source)) await this.names.admit(to);
    if (concernsPartner(found)) return this.remote.copy(view, from, to, options, this.mover.within(view));
    const overMount = overwritesMount(found, options.overwrite);
    const original = (overMount ? admitOriginal : admitCopy)(found, options.overwrite);
    const rows = await rowsToCopy(nodes, original.row, options);
    if (!overMount) await this.admitBytes(found.target, rows);
    const replaced = await this.enterCopies(view, { from, to, overMount }, options, original, rows);
    return { replaced, node: await nodeIn(this.database, view, to) };
  }

  /**
   * Refuses a copy that does not fit into the quota before its contents are stored a second time. Only the check in the transaction is
   * reliable. @throws TreeFailure `quota-exceeded`
   */
  private async admitBytes({ storageId, node }: Place, rows: readonly NodeRow[]): Promise<void> {
    const bytes = bytesOf(rows) - (node?.size ?? 0);
    refuseGrowth(await roomIn(this.database, storageId), { bytes, nodes: 0 });
  }

  /** @returns whether an entry was replaced */
  private async enterCopies(
    view: TreeView,
    { from, to, overMount }: CopyPaths,
    options: CopyOptions,
    original: VisibleNode,
    rows: readonly NodeRow[],
  ): Promise<boolean> {
    const contents = await copyContents(this.blobs, rows, admitDownload(original));
    try {
      let orphaned: readonly string[] = [];
      const replaced = await TreeTransaction.run(
        this.database,
        this.received,
        view,
        overMount ? [from, to, parentOf(to)] : [from, to],
        async (change, places) => {
          orphaned = change.orphaned;
          const [sourceNow, there] = places as readonly [Place, Place];
          admitOriginal({ from, source: sourceNow, to, target: there }, options.overwrite);
          const targetNow = overMount ? await change.placeWithoutMount(to) : there;
          const now = admitCopy({ from, source: sourceNow, to, target: targetNow }, options.overwrite);
          if (now.row.etag !== original.row.etag) throw sourceChanged();
          const hasReplaced = await clearPlace(change, to, targetNow, options.overwrite);
          await enter(change, rows, contents, to, targetNow);
          return overMount || hasReplaced;
        },
      );
      await discardOrphans(this.database, this.blobs, orphaned);
      return replaced;
    } catch (error) {
      await discardUnused(this.blobs, [...contents.values()], error);
      throw error;
    }
  }
}

/** A folder that is copied without its entries is empty, so its size is 0. */
async function rowsToCopy(nodes: NodeRepository, top: NodeRow, { shallow }: CopyOptions): Promise<NodeRow[]> {
  if (shallow && top.kind === 'folder') return [{ ...top, size: 0 }];
  const rows = await subtreeToCopy(nodes, top);
  new CopyAllowance('copy').take(rows.length);
  return rows;
}

const bytesOf = (rows: readonly NodeRow[]): number =>
  rows.reduce((sum, row) => sum + (row.kind === 'file' ? row.size : 0), 0);

async function enter(
  change: TreeTransaction,
  rows: readonly NodeRow[],
  contents: CopiedContents,
  to: NodePath,
  target: Place,
): Promise<void> {
  const size = bytesOf(rows);
  await admitGrowth(change.room, target.storageId, { bytes: size, nodes: rows.length });
  const copies = await copiesOf(change, rows, contents, to, target);
  await change.writes.insertCopies(target.storageId, target.ownerUid, copies, change.etag, change.author);
  await change.propagate(target.parent!.id, size);
}
