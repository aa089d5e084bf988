import type { NodeRow } from '#persistence';
import { outdatedVersions, parseRetention, protectedSince } from '#sharing';
import type { TreeTransaction } from '../tree/tree-transaction';

/** New content for a file, already stored durably. */
interface Replacement {
  readonly size: number;
  readonly mtime: Date;
  readonly blobKey: string;
  readonly checksum: string | null;
}

/**
 * Replaces the content of a file. The old content becomes a version, unless it was empty. Older versions of
 * the file are thinned out, and the oldest versions of the owner are removed if there is no room for them.
 */
export async function replaceContent(
  change: TreeTransaction,
  file: NodeRow,
  content: Replacement,
): Promise<NodeRow> {
  const isKept = await keepVersion(change, file);
  if (!isKept) change.orphaned.push(file.blobKey!);
  const row = await change.writes.overwrite(file.id, { ...content, ...change.author, etag: change.etag });
  // The folder of a shared single file is in the owner's storage, not in this user's tree.
  await change.propagate(file.parentId!, content.size - file.size);
  return row;
}

async function keepVersion(change: TreeTransaction, { id }: NodeRow): Promise<boolean> {
  const versions = await change.versions.keep(id);
  const [any] = versions;
  if (!any) return false;
  // Settings are checked when they are set. If a value of an older program cannot be read, no versions are removed.
  const retention = parseRetention(any.retention) ?? parseRetention('disabled')!;
  const outdated = outdatedVersions(versions, retention, change.at);
  const removed = outdated.length > 0 ? await change.versions.remove(id, outdated) : [];
  const excess = (any.excess ?? 0) - removed.reduce((sum, { size }) => sum + size, 0);
  if (excess > 0)
    removed.push(...(await change.versions.removeOldest(id, excess, protectedSince(retention, change.at))));
  change.orphaned.push(...removed.map(({ blobKey }) => blobKey));
  return true;
}
