import type { NodeKind } from './permissions';

/** Maximum length of a name in bytes of UTF-8. */
const MAX_BYTES = 255;

/**
 * The name of a new entry beside an existing one: `report.txt` → `report (2).txt`, `.profile` → `.profile (2)`. A name with a number
 * gets another: `a (2).txt` → `a (2) (2).txt`. The part before the number is cut if the whole name would be too long.
 * @param kind a folder has no extension: `10.0.0.1` → `10.0.0.1 (2)`; null if it is not known
 */
export function numberedName(name: string, number: number, kind: NodeKind | null): string {
  const dot = kind === 'folder' ? 0 : name.lastIndexOf('.');
  const extension = dot > 0 && Buffer.byteLength(name.slice(dot)) < MAX_BYTES / 2 ? name.slice(dot) : '';
  const suffix = ` (${number})${extension}`;
  const stem = name.slice(0, name.length - extension.length);
  return cutToBytes(stem, MAX_BYTES - Buffer.byteLength(suffix)) + suffix;
}

function cutToBytes(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  let bytes = 0;
  let kept = '';
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) break;
    kept += character;
  }
  return kept;
}
