/** Deletions that do not use the trash bin, as settings say. */
export interface TrashRules {
  /** Extensions of files, without the dot; compared regardless of case. */
  readonly extensions: readonly string[];
  /** Names of folders in the root of an owner's files. */
  readonly folders: readonly string[];
  /** Files larger than this; 0 for no limit. */
  readonly largestBytes: number;
}

/** A node that a user deletes; its path is that in the owner's files. */
export interface Deletion {
  readonly path: string;
  readonly kind: 'file' | 'folder';
  readonly size: number;
}

/** Whether a deletion by the owner removes the node for good. For a folder only its place counts, not its content. */
export function goesPastTrash(rules: TrashRules, { path, kind, size }: Deletion): boolean {
  const [top = '', ...below] = path.split('/').slice(1);
  const isInFolder = kind === 'folder' || below.length > 0;
  if (isInFolder && rules.folders.includes(top)) return true;
  if (kind === 'folder') return false;
  if (rules.largestBytes > 0 && size > rules.largestBytes) return true;
  const extension = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase();
  return rules.extensions.some((one) => one.toLowerCase() === extension);
}
