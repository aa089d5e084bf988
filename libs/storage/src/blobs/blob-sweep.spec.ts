import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { StoredFile } from '#persistence';
import { BlobSweep } from './blob-sweep';
import { DiskBlobStore } from './disk-blob-store';

const directory = mkdtempSync(join(tmpdir(), 'drawbridge-sweep-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const DAY_MS = 24 * 3_600_000;

class FilesInMemory {
  readonly files: StoredFile[] = [];
  held = false;

  add(blobKey: string): void {
    this.files.push({ nodeId: this.files.length + 1, blobKey, ownerUid: 'alice', path: `/${blobKey}` });
  }

  referenced(keys: readonly string[]): Promise<Set<string>> {
    return Promise.resolve(new Set(keys.filter((key) => this.files.some((file) => file.blobKey === key))));
  }

  areHeld(): Promise<boolean> {
    return Promise.resolve(this.held);
  }

  filesAfter(nodeId: number, limit: number): Promise<StoredFile[]> {
    return Promise.resolve(this.files.filter((file) => file.nodeId > nodeId).slice(0, limit));
  }
}

it('removes old contents that no node refers to, and names nodes whose content is gone', async () => {
  const blobs = await DiskBlobStore.open(directory);
  const files = new FilesInMemory();
  const write = async () => (await blobs.write(Readable.from(['content']))).blobKey;
  const [kept, orphan, lost] = [await write(), await write(), await write()];
  files.add(kept);
  files.add(lost);
  await blobs.delete(lost);

  expect(await new BlobSweep(blobs, files).run()).toEqual({ orphans: 0, staleWrites: 0 });
  const later = new BlobSweep(blobs, files, () => Date.now() + 2 * DAY_MS);
  files.held = true;
  expect(await later.run()).toEqual({ orphans: 0, staleWrites: 0 });
  files.held = false;
  expect(await later.run()).toEqual({ orphans: 1, staleWrites: 0 });
  expect([await blobs.has(kept), await blobs.has(orphan)]).toEqual([true, false]);

  const missing: StoredFile[] = [];
  for await (const file of later.missingContents()) missing.push(file);
  expect(missing.map((file) => file.blobKey)).toEqual([lost]);
});
