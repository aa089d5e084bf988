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
  readonly versions: (Omit<StoredFile, 'nodeId'> & { readonly versionId: number })[] = [];
  held = false;

  add(blobKey: string): void {
    this.files.push({ nodeId: this.files.length + 1, blobKey, ownerUid: 'alice', path: `/${blobKey}` });
  }

  addVersion(blobKey: string): void {
    this.versions.push({
      versionId: this.versions.length + 1,
      blobKey,
      ownerUid: 'alice',
      path: `/${blobKey}`,
    });
  }

  referenced(keys: readonly string[]): Promise<Set<string>> {
    const known = new Set([...this.files, ...this.versions].map((content) => content.blobKey));
    return Promise.resolve(new Set(keys.filter((key) => known.has(key))));
  }

  areHeld(): Promise<boolean> {
    return Promise.resolve(this.held);
  }

  filesAfter(nodeId: number, limit: number): Promise<StoredFile[]> {
    return Promise.resolve(this.files.filter((file) => file.nodeId > nodeId).slice(0, limit));
  }

  versionsAfter(versionId: number, limit: number) {
    return Promise.resolve(this.versions.filter((version) => version.versionId > versionId).slice(0, limit));
  }
}

it('removes old contents without a node or version, and names nodes and versions without their content', async () => {
  const blobs = await DiskBlobStore.open(directory);
  const files = new FilesInMemory();
  const write = async () => (await blobs.write(Readable.from(['content']))).blobKey;
  const [kept, orphan, lost] = [await write(), await write(), await write()];
  const [keptVersion, lostVersion] = [await write(), await write()];
  files.addVersion(keptVersion);
  files.addVersion(lostVersion);
  await blobs.delete(lostVersion);
  files.add(kept);
  files.add(lost);
  await blobs.delete(lost);

  expect(await new BlobSweep(blobs, files).run()).toEqual({ orphans: 0, staleWrites: 0 });
  const later = new BlobSweep(blobs, files, () => Date.now() + 2 * DAY_MS);
  files.held = true;
  expect(await later.run()).toEqual({ orphans: 0, staleWrites: 0 });
  files.held = false;
  expect(await later.run()).toEqual({ orphans: 1, staleWrites: 0 });
  expect(await Promise.all([kept, keptVersion, orphan].map((key) => blobs.has(key)))).toEqual([
    true,
    true,
    false,
  ]);

  const missing: string[] = [];
  for await (const { blobKey } of later.missingContents()) missing.push(blobKey);
  expect(missing).toEqual([lost, lostVersion]);
});
