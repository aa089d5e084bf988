/** Bits of a share's permissions, as in the share API. */
const BITS = { read: 1, update: 2, create: 4, delete: 8, share: 16 } as const;
const WRITE = BITS.update | BITS.create | BITS.delete;
/** Deleting alone is no writing. */
const IS_WRITE = BITS.update | BITS.create;

export type PermissionWord = 'read' | 'write' | 'share';

/**
 * The words that OCM has for permission bits: `write` is to create, to update and to delete, and is said of what may be created or
 * updated.
 */
export function wordsOf(permissions: number): PermissionWord[] {
  const words: PermissionWord[] = [];
  if (permissions & BITS.read) words.push('read');
  if (permissions & IS_WRITE) words.push('write');
  if (permissions & BITS.share) words.push('share');
  return words;
}

/** The bits that words stand for, without those that a file cannot have; unknown words count for nothing. */
export function permissionsOf(words: readonly string[], kind: 'file' | 'folder' | 'unknown'): number {
  const write = kind === 'file' ? BITS.update : WRITE;
  const bits: Readonly<Record<string, number>> = { read: BITS.read, write, share: BITS.share };
  return words.reduce((sum, word) => sum | (Object.hasOwn(bits, word) ? bits[word]! : 0), 0);
}

/** Permissions that remain under the words: `write` means the part of it that the holder has. */
export function leftBy(words: number, held: number): number {
  return held & WRITE ? words & (held | ~WRITE) : words;
}
