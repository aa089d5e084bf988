import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a directory for this account alone, and those above it, where they are missing. The recursive form of Node tries for ever below /proc,
 * where the system answers that the directory above is missing.
 * @param directory an absolute path
 * @throws the error of the system
 */
export function makeDirectory(directory: string): void {
  const above = dirname(directory);
  if (!existsSync(above)) makeDirectory(above);
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !statSync(directory).isDirectory()) throw error;
  }
}
