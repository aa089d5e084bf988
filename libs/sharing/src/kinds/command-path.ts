import { SharingFailed } from '../domain/sharing-failed';
import type { CreateShareCommand } from './create-share-command';

/** The path with one leading slash and no trailing one; `''` for the root. @throws SharingFailed path-missing, path-wrong */
export function parseCommandPath(raw: string | undefined): string {
  if (raw === undefined || raw === '') throw new SharingFailed('path-missing');
  return normalisePath(raw);
}

export function normalisePath(raw: string): string {
  const parts = raw.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw new SharingFailed('path-wrong');
  return parts.length === 0 ? '' : `/${parts.join('/')}`;
}

/** Name of the node as the caller sees it: a received node may have another name in their tree. */
export function nameInTreeOf({ path }: CreateShareCommand): string {
  const normal = parseCommandPath(path);
  return normal.slice(normal.lastIndexOf('/') + 1).normalize('NFC');
}
