import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pack, type Pack } from 'tar-stream';
import { bytesOf, type ArchiveEntry } from './archive-entry';

/** The last second since 1970 that `tar-stream` writes correctly into the header of an entry, and the first one is 0. */
const LAST_SECOND = 0x7fff_ffff;

/**
 * Writes a tar archive (pax) of entries as they come, in constant memory.
 * @throws errors of the entries and their contents
 */
export async function* tarArchive(entries: AsyncIterable<ArchiveEntry>): AsyncGenerator<Buffer> {
  const archive = pack();
  const filled = fill(archive, entries);
  filled.catch((error: Error) => archive.destroy(error));
  try {
    for await (const bytes of archive as AsyncIterable<Buffer>) yield bytes;
    await filled;
  } finally {
    archive.destroy();
    await filled.catch(() => undefined);
  }
}

async function fill(archive: Pack, entries: AsyncIterable<ArchiveEntry>): Promise<void> {
  for await (const { name, mtime, content } of entries) {
    if (!content) {
      archive.entry({ name: `${name}/`, type: 'directory', ...timeOf(mtime), mode: 0o755 });
      continue;
    }
    const entry = archive.entry({ name, ...timeOf(mtime), size: content.size, mode: 0o644 });
    await pipeline(Readable.from(bytesOf(name, content), { objectMode: false }), entry);
  }
  archive.finalize();
}

/** The time of an entry; a pax record has it if the header cannot. */
function timeOf(mtime: Date): { mtime: Date; pax?: Readonly<Record<string, string>> } {
  const seconds = Math.floor(mtime.getTime() / 1000);
  const nearest = Math.min(Math.max(seconds, 0), LAST_SECOND);
  if (nearest === seconds) return { mtime };
  return { mtime: new Date(nearest * 1000), pax: { mtime: String(seconds) } };
}
