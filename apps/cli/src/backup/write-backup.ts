import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { BackedUpTable, DatabaseSnapshot } from '#persistence';
import { PRODUCT_VERSION } from '#platform';
import { OPERATOR_PERMIT } from '#sharing';
import { BlobMissing, type BlobStore } from '#storage';
import type { ArchiveWriter } from './archive';
import { BACKUP_FORMAT, PART, type BlobsRecord, type Manifest, type TableRecord } from './manifest';
import { metered } from './metered';

/** Maximum size of a part with rows: an archive has to know the size of a part before it begins. */
const PART_BYTES = 4 * 1024 * 1024;

/** The sources of a backup. */
export interface BackupSource {
  readonly snapshot: DatabaseSnapshot;
  /** undefined if contents are left out. */
  readonly blobs: BlobStore | undefined;
  /** In hexadecimal digits; undefined if it is left out. */
  readonly encryptionKey: string | undefined;
  readonly keyMark: string | null;
  /** Called with contents that the store lost, and with the number of contents so far. */
  readonly lost: (key: string) => void;
  readonly progress: (blobs: number) => void;
  /** Ends the work between two parts. */
  readonly signal: AbortSignal;
}

/** Writes a backup in constant memory. @returns its manifest */
export async function writeBackup(source: BackupSource, archive: ArchiveWriter): Promise<Manifest> {
  const { snapshot, encryptionKey, keyMark } = source;
  const manifest: Manifest = {
    format: BACKUP_FORMAT,
    version: PRODUCT_VERSION,
    madeAt: new Date().toISOString(),
    schema: await snapshot.migrations(),
    encryptionKey: encryptionKey === undefined ? 'left out' : 'included',
    keyMark,
    tables: await writeTables(source, archive),
    sequences: await snapshot.positions(),
    blobs: source.blobs ? await writeBlobs(source, source.blobs, archive) : null,
  };
  if (encryptionKey !== undefined) await addText(archive, PART.encryptionKey, `${encryptionKey}\n`);
  await addText(archive, PART.manifest, `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest;
}

async function writeTables(source: BackupSource, archive: ArchiveWriter): Promise<TableRecord[]> {
  const records: TableRecord[] = [];
  for (const table of await source.snapshot.tables())
    records.push(await writeTable(source, records.length, table, archive));
  return records;
}

async function writeTable(
  { snapshot, signal }: BackupSource,
  index: number,
  { name, columns }: BackedUpTable,
  archive: ArchiveWriter,
): Promise<TableRecord> {
  const digest = createHash('sha256');
  let [bytes, parts] = [0, 0];
  const add = async (part: Buffer): Promise<void> => {
    signal.throwIfAborted();
    digest.update(part);
    bytes += part.length;
    await archive.add(PART.table(index, name, parts++), part.length, Readable.from([part]));
  };
  const rows = await inParts(snapshot.read({ name, columns }), add);
  return { name, columns: [...columns], rows, bytes, parts, sha256: digest.digest('hex') };
}

/** Cuts the same bytes into pieces of known size. @returns the result of the stream */
async function inParts<T>(
  stream: AsyncGenerator<Buffer, T>,
  take: (part: Buffer) => Promise<void>,
): Promise<T> {
  let [chunks, bytes]: [Buffer[], number] = [[], 0];
  for (;;) {
    const { done, value } = await stream.next();
    if (!done) {
      chunks.push(value);
      bytes += value.length;
    }
    if (bytes >= PART_BYTES || (done && bytes > 0)) {
      await take(Buffer.concat(chunks));
      [chunks, bytes] = [[], 0];
    }
    if (done) return value;
  }
}

async function writeBlobs(
  { snapshot, signal, lost, progress }: BackupSource,
  blobs: BlobStore,
  archive: ArchiveWriter,
): Promise<BlobsRecord> {
  const list = createHash('sha256');
  const record = { count: 0, bytes: 0, missing: 0 };
  for await (const key of snapshot.blobKeys()) {
    signal.throwIfAborted();
    const content = await openBlob(blobs, key);
    if (!content) {
      record.missing++;
      lost(key);
      continue;
    }
    const { stream, seen } = metered(content.stream);
    await archive.add(PART.blob(key), content.size, stream);
    const { bytes, sha256 } = seen();
    list.update(`${sha256} ${bytes} ${key}\n`);
    record.bytes += bytes;
    progress(++record.count);
  }
  return { ...record, sha256: list.digest('hex') };
}

async function openBlob(blobs: BlobStore, key: string) {
  try {
    return { size: await blobs.size(key), stream: await blobs.read(key, undefined, OPERATOR_PERMIT) };
  } catch (error) {
    if (error instanceof BlobMissing) return undefined;
    throw error;
  }
}

function addText(archive: ArchiveWriter, name: string, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  return archive.add(name, bytes.length, Readable.from([bytes]));
}
