import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** An archive as another program reads it: contents by file name; folders end in `/` and have no content. */
export type Unpacked = Readonly<Record<string, string>>;

/** Tests an archive with Info-ZIP, and reads it with bsdtar. @throws Error if either finds an error, or is not installed */
export async function unpack(archive: Buffer, format: 'zip' | 'tar'): Promise<Unpacked> {
  const folder = mkdtempSync(join(tmpdir(), 'drawbridge-archive-'));
  try {
    const path = join(folder, `archive.${format}`);
    writeFileSync(path, archive);
    if (format === 'zip') await run('unzip', ['-tq', path]);
    const { stdout } = await bsdtar('-tf', path);
    const names = stdout.split('\n').filter((name) => name !== '');
    const found: Record<string, string> = {};
    for (const name of names)
      found[name] = name.endsWith('/') ? '' : (await bsdtar('-xOf', path, escapePattern(name))).stdout;
    return found;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Uses a UTF-8 locale, because bsdtar prints names in its caller's locale. */
const bsdtar = (...options: string[]): Promise<{ stdout: string }> =>
  run('bsdtar', options, { env: { ...process.env, LC_ALL: 'C.UTF-8' } });

const escapePattern = (name: string): string => name.replace(/[[\]*?\\]/g, '\\$&');
