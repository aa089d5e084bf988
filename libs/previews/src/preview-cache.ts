import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { Preview } from './preview-renderer';

const NAME = /^[0-9a-f]{64}\.(png|jpeg)$/;
const KEPT_MS = 30 * 86_400_000;

/**
 * Stores previews in a directory, by their key. If there are too many
 * bytes, the least recently used preview is removed. A lost preview only costs time.
 */
export class PreviewCache {
  private index: Promise<LRUCache<string, number>> | undefined;

  constructor(
    private readonly directory: string,
    private readonly maxBytes: number,
  ) {}

  /** @param key identifies one content in one size */
  async find(key: string): Promise<Preview | undefined> {
    const index = await this.ready();
    for (const format of ['png', 'jpeg']) {
      const name = `${hashOf(key)}.${format}`;
      if (index.get(name) === undefined) continue;
      const data = await readFile(join(this.directory, name)).catch(() => undefined);
      if (data) return { type: `image/${format}`, data };
      index.delete(name);
    }
    return undefined;
  }

  async keep(key: string, { type, data }: Preview): Promise<void> {
    const index = await this.ready();
    const name = `${hashOf(key)}.${type.slice('image/'.length)}`;
    if (!NAME.test(name)) return;
    const temporary = join(this.directory, randomUUID());
    try {
      await writeFile(temporary, data, { mode: 0o600 });
      await rename(temporary, join(this.directory, name));
      index.set(name, data.length);
    } catch {
      // If the disk is full or missing, nothing is stored, and the next read finds nothing.
      await rm(temporary, { force: true }).catch(() => undefined);
    }
  }

  private ready(): Promise<LRUCache<string, number>> {
    this.index ??= this.read();
    return this.index;
  }

  private async read(): Promise<LRUCache<string, number>> {
    const index = new LRUCache<string, number>({
      maxSize: this.maxBytes,
      sizeCalculation: (bytes) => Math.max(1, bytes),
      ttl: KEPT_MS,
      ttlAutopurge: false,
      dispose: (_bytes, name, reason) => {
        if (reason !== 'set') void rm(join(this.directory, name), { force: true }).catch(() => undefined);
      },
    });
    await mkdir(this.directory, { recursive: true, mode: 0o700 }).catch(() => undefined);
    for (const name of await readdir(this.directory).catch((): string[] => [])) {
      const path = join(this.directory, name);
      const found = await stat(path).catch(() => undefined);
      const isKept = found !== undefined && NAME.test(name) && Date.now() - found.mtimeMs < KEPT_MS;
      if (isKept) index.set(name, found.size);
      else await rm(path, { force: true }).catch(() => undefined);
    }
    return index;
  }
}

const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex');
