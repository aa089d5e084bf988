import { createHash, type Hash } from 'node:crypto';
import { CommandFailed } from '../command-failed';
import type { ArchivePart, ArchiveReader } from './archive';
import { blobKeyOf, parseManifest, PART, type Manifest } from './manifest';

/** A manifest lists tables and sequences, so it does not grow with use. */
const MANIFEST_LIMIT = 4 * 1024 * 1024;
const KEY_LIMIT = 1024;
const BLOB_KEY = /^[A-Za-z0-9_-]+(\/[A-Za-z0-9_-]+)*$/;
const TABLE_PART = /^tables\/(\d{6})-([a-z0-9_]+)\/(\d{6})$/;

/** A complete backup whose parts match their hashes. */
export interface CheckedBackup {
  readonly manifest: Manifest;
  /** In hexadecimal digits; undefined if it was left out. */
  readonly encryptionKey: string | undefined;
}

/** Reads a backup to its end. @throws CommandFailed if any part differs from its manifest */
export async function checkBackup(archive: ArchiveReader): Promise<CheckedBackup> {
  const seen = new SeenParts();
  for await (const part of archive.parts()) await seen.take(part);
  return seen.conclude();
}

/** Digests of all parts except the manifest, in constant memory: one for each table, and one for all contents. */
class SeenParts {
  private readonly tables: { name: string; digest: Hash; bytes: number; parts: number }[] = [];
  private readonly blobs = { count: 0, bytes: 0, list: createHash('sha256') };
  private encryptionKey: string | undefined;
  private manifest: Manifest | undefined;

  async take(part: ArchivePart): Promise<void> {
    if (this.manifest) throw damaged('something follows the manifest');
    const blobKey = blobKeyOf(part.name);
    if (part.name === PART.manifest) this.manifest = parseManifest(await textOf(part, MANIFEST_LIMIT));
    else if (part.name === PART.encryptionKey) this.encryptionKey = (await textOf(part, KEY_LIMIT)).trim();
    else if (blobKey !== undefined) await this.takeBlob(blobKey, part);
    else await this.takeRows(part);
  }

  conclude(): CheckedBackup {
    const { manifest, encryptionKey } = this;
    if (!manifest) throw damaged('its end is missing');
    this.compareTables(manifest);
    const { count, bytes, list } = this.blobs;
    const { blobs } = manifest;
    if (
      blobs
        ? list.digest('hex') !== blobs.sha256 || count !== blobs.count || bytes !== blobs.bytes
        : count > 0
    )
      throw damaged('its contents of files are not those of its manifest');
    if ((encryptionKey !== undefined) !== (manifest.encryptionKey === 'included'))
      throw damaged('its encryption key is not as its manifest says');
    return { manifest, encryptionKey };
  }

  private compareTables(manifest: Manifest): void {
    const written = manifest.tables
      .map((table, index) => ({ ...table, index }))
      .filter(({ parts }) => parts > 0);
    const same =
      written.length === this.tables.length &&
      written.every(({ index, name, parts, bytes, sha256 }, at) => {
        const found = this.tables[at]!;
        return (
          PART.table(index, name, 0) === PART.table(index, found.name, 0) &&
          parts === found.parts &&
          bytes === found.bytes &&
          sha256 === found.digest.digest('hex')
        );
      });
    if (!same) throw damaged('its tables are not those of its manifest');
  }

  private async takeRows({ name, content }: ArchivePart): Promise<void> {
    const [, , table, number] = TABLE_PART.exec(name) ?? [];
    if (table === undefined) throw damaged(`${JSON.stringify(name)} is none of its parts`);
    if (Number(number) === 0)
      this.tables.push({ name: table, digest: createHash('sha256'), bytes: 0, parts: 0 });
    const last = this.tables.at(-1);
    if (last?.name !== table || last.parts !== Number(number)) throw damaged(`${name} is out of order`);
    last.parts++;
    for await (const chunk of content) {
      last.digest.update(chunk);
      last.bytes += chunk.length;
    }
  }

  private async takeBlob(key: string, { content }: ArchivePart): Promise<void> {
    if (!BLOB_KEY.test(key)) throw damaged(`${JSON.stringify(key)} is none of its contents`);
    const digest = createHash('sha256');
    let bytes = 0;
    for await (const chunk of content) {
      digest.update(chunk);
      bytes += chunk.length;
    }
    this.blobs.list.update(`${digest.digest('hex')} ${bytes} ${key}\n`);
    this.blobs.count++;
    this.blobs.bytes += bytes;
  }
}

async function textOf({ name, size, content }: ArchivePart, limit: number): Promise<string> {
  if (size > limit) throw damaged(`${name} is too long`);
  const chunks: Buffer[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

const damaged = (how: string): CommandFailed =>
  new CommandFailed(`This backup cannot be used: ${how}. Nothing was restored.`);
