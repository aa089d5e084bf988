import type { NodeRow } from '#persistence';
import { outdatedVersions, parseRetention, protectedSince } from '#sharing';
import type { TreeTransaction } from '../tree/tree-transaction';

/** Content that is to be in a file; it is durable already. */
interface Replacement {
  readonly size: number;
  readonly mtime: Date;
  readonly blobKey: string;
  readonly checksum: string | null;
}

/**
 * Puts another content into a file. The former content becomes a version of it, unless it was empty. Older versions of
 * the file are thinned out, and the oldest of the owner's removed that their room has no place for.
 */
export async function replaceContent(
  change: TreeTransaction,
  file: NodeRow,
  content: Replacement,
): Promise<NodeRow> {
  const isKept = await keepVersion(change, file);
  if (!isKept) change.orphaned.push(file.blobKey!);
  const row = await change.writes.overwrite(file.id, { ...content, ...change.author, etag: change.etag });
  // A share of a single file has its folder in the owner's storage, not in this user's tree.
  await change.propagate(file.parentId!, content.size - file.size);
  return row;
}

async function keepVersion(change: TreeTransaction, { id }: NodeRow): Promise<boolean> {
  const versions = await change.versions.keep(id);
  const [any] = versions;
  if (!any) return false;
  // Settings are checked where they are set; a value of an older program that cannot be read is taken for the rule that
  // removes nothing.
  const retention = parseRetention(any.retention) ?? parseRetention('disabled')!;
  const outdated = outdatedVersions(versions, retention, change.at);
  const removed = outdated.length > 0 ? await change.versions.remove(id, outdated) : [];
  const excess = (any.excess ?? 0) - removed.reduce((sum, { size }) => sum + size, 0);
  if (excess > 0)
    removed.push(...(await change.versions.removeOldest(id, excess, protectedSince(retention, change.at))));
  change.orphaned.push(...removed.map(({ blobKey }) => blobKey));
  return true;
}
