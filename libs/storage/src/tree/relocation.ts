import { exceedsPathLimit, type NodeRow } from '#persistence';
import { admitReplacement } from './admission';
import { mimetypeFor } from './mimetype';
import { nameOf, type NodePath } from './node-path';
import type { Place } from './place';
import { TreeFailure } from './tree-failure';
import type { TreeTransaction } from './tree-transaction';

/**
 * Makes a destination free: an existing node is moved to the trash bin.
 * @returns whether there was a node
 * @throws TreeFailure `precondition-failed`, `parent-missing`, `forbidden`
 */
export async function clearPlace(
  change: TreeTransaction,
  to: NodePath,
  target: Place,
  overwrite: boolean,
): Promise<boolean> {
  const existing = admitReplacement(to, target, overwrite);
  if (!existing) return false;
  if (!existing.isReceived) await change.mounts.declineAtOrBelow(to);
  await change.discard(existing.row, target);
  return true;
}

/**
 * Moves a node, with everything below it, to another place. Shares belong to the node: in the storage of another owner they stay,
 * under that owner.
 * @param takeAlong moves the mounts below it, which are in the tree of its owner
 * @throws TreeFailure `path-too-long`
 */
export async function relocate(
  change: TreeTransaction,
  row: NodeRow,
  to: NodePath,
  target: Place,
  takeAlong: () => Promise<void>,
): Promise<void> {
  const moved = {
    storageId: target.storageId,
    ownerUid: target.ownerUid,
    parentId: target.parent!.id,
    name: nameOf(to),
    path: target.storagePath,
    mimetype: mimetypeFor(row.kind, nameOf(to)),
  };
  const kept = await change.writes.conditionsToKeep(row.id);
  try {
    await change.writes.moveSubtree(row.id, moved);
    await takeAlong();
  } catch (error) {
    throw exceedsPathLimit(error)
      ? new TreeFailure('path-too-long', 'A path below would be too long')
      : error;
  }
  if (moved.storageId !== row.storageId) {
    await change.writes.giveSharesOfSubtree(row.id, moved.ownerUid);
    await change.versions.countTo(row.id, row.storageId, moved.storageId);
  }
  await change.writes.settleReshares(moved, kept);
}
