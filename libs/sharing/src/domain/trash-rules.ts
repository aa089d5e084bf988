/** Deletions that go past the trash bin, as settings say. */
export interface TrashRules {
  /** Of files, without the dot; compared regardless of case. */
  readonly extensions: readonly string[];
  /** Names of folders in the root of an owner's files. */
  readonly folders: readonly string[];
  /** Larger files; 0 for no limit. */
  readonly largestBytes: number;
}

/** A node that somebody deletes; its path is that in the files of its owner. */
export interface Deletion {
  readonly path: string;
  readonly kind: 'file' | 'folder';
  readonly size: number;
}

/** Whether what its owner deletes is removed for good. Of a folder only its place counts, not what is in it. */
export function goesPastTrash(rules: TrashRules, { path, kind, size }: Deletion): boolean {
  const [top = '', ...below] = path.split('/').slice(1);
  const isInFolder = kind === 'folder' || below.length > 0;
  if (isInFolder && rules.folders.includes(top)) return true;
  if (kind === 'folder') return false;
  if (rules.largestBytes > 0 && size > rules.largestBytes) return true;
  const extension = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase();
  return rules.extensions.some((one) => one.toLowerCase() === extension);
}
