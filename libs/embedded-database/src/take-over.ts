import { lchownSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { SystemAccount } from './system-accounts';

/**
 * Gives a directory and everything in it to an account. The directory itself comes last: while it has its old owner, the
 * next start repeats everything.
 */
export function takeOver(directory: string, { uid, gid }: SystemAccount): void {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) takeOver(path, { uid, gid });
    else lchownSync(path, uid, gid);
  }
  lchownSync(directory, uid, gid);
}
