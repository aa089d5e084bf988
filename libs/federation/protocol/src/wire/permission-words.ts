/** Bits of a share's permissions, as in the share API. */
const BITS = { read: 1, update: 2, create: 4, delete: 8, share: 16 } as const;
const WRITE = BITS.update | BITS.create | BITS.delete;
/** The bit for delete alone does not count as write. */
const IS_WRITE = BITS.update | BITS.create;

export type PermissionWord = 'read' | 'write' | 'share';

/**
 * OCM's words for permission bits: `write` means create, update and delete, and is sent if create or
 * update is allowed.
 */
export function wordsOf(permissions: number): PermissionWord[] {
  const words: PermissionWord[] = [];
  if (permissions & BITS.read) words.push('read');
  if (permissions & IS_WRITE) words.push('write');
  if (permissions & BITS.share) words.push('share');
  return words;
}

/** The bits for these words, without those that a file cannot have. Unknown words are ignored. */
export function permissionsOf(words: readonly string[], kind: 'file' | 'folder' | 'unknown'): number {
  const write = kind === 'file' ? BITS.update : WRITE;
  const bits: Readonly<Record<string, number>> = { read: BITS.read, write, share: BITS.share };
  return words.reduce((sum, word) => sum | (Object.hasOwn(bits, word) ? bits[word]! : 0), 0);
}

/** Permissions that remain under the words: `write` keeps the part of it that the holder has. */
export function leftBy(words: number, held: number): number {
  return held & WRITE ? words & (held | ~WRITE) : words;
}
