import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

/**
 * The content of `file`, which is made with `create` (mode 0600) if it is missing.
 * If several processes make it at the same time, one wins and all read the same complete content.
 */
export function readOrCreate(file: string, create: () => string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${create()}\n`, { mode: 0o600 });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(file, 'utf8').trim();
}
