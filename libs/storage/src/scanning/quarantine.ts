import type { Readable } from 'node:stream';
import { AuditRepository, QuarantineRepository, type Database, type QuarantinedContent } from '#persistence';
import { SCANNER_PERMIT, type ScanRules } from '#sharing';
import type { BlobStore, StoredBlob } from '../blobs/blob-store';
import { discardBlobs, discardOrphans, discardUnused } from '../tree/discard-blobs';
import { nameOf, parsePath, type NodePath } from '../tree/node-path';
import type { PutOptions, PutResult } from '../tree/put-content';
import { userView, type TreeView } from '../tree/tree-view';
import type { ScannedUpload } from './scanned-upload';

/** Limit for contents of any size: otherwise a flood of small ones would fill the table. */
const MAX_CONTENTS = 10_000;
const REMOVED_AT_ONCE = 100;

/** The method of the tree that a release needs. */
interface ReleaseWriter {
  put(view: TreeView, path: NodePath, content: Readable, options: PutOptions): Promise<PutResult>;
}

/** Uploads with a finding of the scanner. No user can reach them, until an operator decides or some days have passed. */
export class Quarantine {
  private readonly rows: QuarantineRepository;

  constructor(
    private readonly database: Database,
    private readonly blobs: BlobStore,
  ) {
    this.rows = new QuarantineRepository(database);
  }

  /** Keeps a copy of the content, independent of the upload. @returns its id; undefined if there is no room for it */
  async keep(
    { view, path, ownerUid, storagePath, isAtPartner }: ScannedUpload,
    { blobKey: original, size, sha1 }: StoredBlob,
    finding: string,
    { quarantine }: ScanRules,
  ): Promise<number | undefined> {
    const blobKey = await this.blobs.copy(original, SCANNER_PERMIT);
    const sender =
      view.kind === 'user'
        ? { author: view.uid, throughShare: null }
        : { author: null, throughShare: view.shareId };
    // An operator cannot write files of a partner, so the content is released to the sender.
    const place = { ownerUid, path: isAtPartner ? `/${nameOf(path)}` : storagePath };
    const content = { ...place, ...sender, finding, size, sha1, blobKey };
    const bounds = { maxContents: MAX_CONTENTS, maxBytes: quarantine.maxBytes };
    try {
      const id = await this.rows.keep(content, bounds);
      if (id === undefined) await discardBlobs(this.blobs, [blobKey]);
      return id;
    } catch (error) {
      await discardUnused(this.blobs, [blobKey], error);
      throw error;
    }
  }

  /** A page behind an id, in the order of ids. */
  list(after: number, limit: number): Promise<QuarantinedContent[]> {
    return this.rows.list(after, limit);
  }

  /** The bytes of a content, for an operator who examines them; undefined if there is none. */
  async open(id: number): Promise<Readable | undefined> {
    const found = await this.rows.find(id);
    if (!found) return undefined;
    await this.audit('quarantine.save', found);
    return this.blobs.read(found.blobKey, undefined, SCANNER_PERMIT);
  }

  /**
   * Writes a content to its intended place without a scan, beside a file that may be there by now.
   * @returns its new path; undefined if there is no such content
   * @throws TreeFailure as TreeWriter.put
   */
  async release(id: number, writer: ReleaseWriter): Promise<string | undefined> {
    const found = await this.rows.find(id);
    if (!found) return undefined;
    const body = await this.blobs.read(found.blobKey, undefined, SCANNER_PERMIT);
    try {
      const options = { makesWay: true, makesParents: true, source: 'stored' } as const;
      const { node } = await writer.put(userView(found.ownerUid), parsePath(found.path), body, options);
      await this.audit('quarantine.release', found);
      await this.discard(id);
      return node.path;
    } finally {
      body.destroy();
    }
  }

  /** @returns whether there was such a content */
  async remove(id: number): Promise<boolean> {
    const found = await this.rows.find(id);
    if (!found) return false;
    await this.audit('quarantine.delete', found);
    await this.discard(id);
    return true;
  }

  /** Removes contents that are older than this number of days. @returns the number of removed uploads */
  async removeOld(days: number, signal?: AbortSignal): Promise<number> {
    for (let removed = 0; ;) {
      const keys = await this.rows.removeOld(days, REMOVED_AT_ONCE);
      await discardOrphans(this.database, this.blobs, keys);
      removed += keys.length;
      if (keys.length < REMOVED_AT_ONCE || signal?.aborted) return removed;
    }
  }

  private async discard(id: number): Promise<void> {
    const key = await this.rows.remove(id);
    if (key !== undefined) await discardOrphans(this.database, this.blobs, [key]);
  }

  private audit(action: string, { id, ownerUid, path, finding, sha1 }: QuarantinedContent): Promise<void> {
    const detail = { quarantine: id, finding, sha1 };
    return new AuditRepository(this.database).record(action, ['upload', ownerUid + path], detail);
  }
}
