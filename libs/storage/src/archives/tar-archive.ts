import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pack, type Pack } from 'tar-stream';
import { bytesOf, type ArchiveEntry } from './archive-entry';

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
      archive.entry({ name: `${name}/`, type: 'directory', mtime, mode: 0o755 });
      continue;
    }
    const entry = archive.entry({ name, mtime, size: content.size, mode: 0o644 });
    await pipeline(Readable.from(bytesOf(name, content), { objectMode: false }), entry);
  }
  archive.finalize();
}
