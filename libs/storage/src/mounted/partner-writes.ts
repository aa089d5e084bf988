import { UploadRepository, type Database, type MountedShareRow } from '#persistence';
import { UPLOAD_PERMIT, type PartnerWriteRules, type PolicySource } from '#sharing';
import { BlobTooLarge, type BlobStore, type StoredBlob } from '../blobs/blob-store';
import type { ContentScan } from '../scanning/content-scan';
import { notFound, type Condition } from '../tree/admission';
import { discardBlobs, discardOrphans, discardUnused } from '../tree/discard-blobs';
import type { NodePath } from '../tree/node-path';
import { assertAnnounced, type PutOptions, type PutResult } from '../tree/put-content';
import { RepeatedPuts } from '../tree/repeated-puts';
import { quotaExceeded, roomIn } from '../tree/room';
import { TreeFailure } from '../tree/tree-failure';
import type { TreeView } from '../tree/tree-view';
import { chargedStorage } from '../uploads/charged-storage';
import { endUpload } from '../uploads/end-upload';
import { StoredPieces, type ContentSource } from '../uploads/pieces';
import { PartnerAway } from './remote-refusal';
import type { RemoteTree } from './remote-tree';
import type { RemoteWriter, WritablePlace } from './remote-writer';
import { StoredWrites } from './stored-writes';

/** A content for a partner, and its place there. */
interface Write extends WritablePlace {
  readonly view: TreeView;
  readonly share: MountedShareRow;
  readonly rules: PartnerWriteRules;
  readonly options: PutOptions;
  /** Whether it may wait here for its partner. */
  readonly mayWait: boolean;
}

/**
 * Files that are written into folders of partners. A small one is sent while its writer waits. A larger one, or one for an
 * absent partner, is stored here and delivered later. Contents that have to be scanned are stored until there is a
 * verdict, so that no partner gets the
 * beginning of a refused one.
 */
export class PartnerWrites {
  private readonly stored: StoredWrites;
  private readonly repeated: RepeatedPuts;

  constructor(
    private readonly database: Database,
    private readonly blobs: BlobStore,
    private readonly remote: RemoteTree,
    private readonly writer: RemoteWriter,
    private readonly policy: PolicySource,
    private readonly scans: ContentScan,
  ) {
    this.stored = new StoredWrites(database);
    this.repeated = new RepeatedPuts(blobs);
  }

  /** @throws TreeFailure as TreeWriter.put, and refusals of the partner */
  async put(
    view: TreeView,
    asked: NodePath,
    content: ContentSource,
    options: PutOptions,
  ): Promise<PutResult> {
    const rules = (await this.policy.current()).partnerWrites;
    const largest = Math.min(rules.userBytes, rules.partnerBytes);
    const announced = content instanceof StoredPieces ? content.size : (options.announcedSize ?? 0);
    const fits = rules.isOn && !options.isSentAtOnce && announced <= largest;
    const found = await this.writer.placeToWrite(view, asked, options, fits);
    // A content waits only for a folder that is known to be there.
    const mayWait = fits && !found.place.isFolderUnknown;
    const share = await this.remote.share(found.place.receivedShareId);
    const write = { ...found, view, share, rules, options, mayWait };
    if (mayWait || (await this.scans.rulesFor(view, options))) return this.putKept(write, content);
    const body = content instanceof StoredPieces ? content.stream() : content;
    return this.settled(write, await this.writer.send(share, write, body, options));
  }

  private async putKept(write: Write, content: ContentSource): Promise<PutResult> {
    const blob = await this.keep(write, content);
    try {
      const { view, asked, options } = write;
      assertAnnounced(blob, options);
      return await this.repeated.once(view, asked, blob, options, () => this.deliver(write, blob));
    } catch (error) {
      await discardUnused(this.blobs, [blob.blobKey], error);
      throw error;
    }
  }

  private async deliver(write: Write, blob: StoredBlob): Promise<PutResult> {
    await this.scan(write, blob);
    const sent = await this.tryAtOnce(write, blob);
    if (typeof sent === 'object') {
      await discardBlobs(this.blobs, [blob.blobKey]);
      return this.settled(write, sent);
    }
    const { result, orphaned } = await this.store(write, blob, sent === 'in-doubt');
    await discardOrphans(this.database, this.blobs, orphaned);
    return result;
  }

  private async keep(write: Write, content: ContentSource): Promise<StoredBlob> {
    const limit = await this.limitOf(write);
    if ((write.options.announcedSize ?? 0) > limit) throw quotaExceeded();
    const kept = content instanceof StoredPieces ? content.keep(limit) : this.blobs.write(content, limit);
    return kept.catch((error: unknown) => {
      throw error instanceof BlobTooLarge ? quotaExceeded() : error;
    });
  }

  /** Bytes of it that may be stored here. */
  private async limitOf({ view, place, share, rules, options, mayWait }: Write): Promise<number> {
    if (mayWait) {
      const writer = writerOf(view, place);
      const room = await this.stored.room(rules, writer, share.receivedShareId, place.storagePath);
      return Math.max(room, rules.atOnceBytes);
    }
    const storageId = await chargedStorage(this.database, view, place);
    return Math.max(0, (await roomIn(this.database, storageId, options.upload?.id)).bytes);
  }

  private async scan({ view, path, place, options }: Write, blob: StoredBlob): Promise<void> {
    const ownerUid = writerOf(view, place);
    await this.scans.admit({ view, path, ownerUid, storagePath: path, isAtPartner: true }, blob, options);
  }

  /** Sends it while its writer waits, if that does not take long. */
  private async tryAtOnce(write: Write, blob: StoredBlob): Promise<PutResult | 'away' | 'in-doubt'> {
    const { share, place, rules, options, mayWait } = write;
    const isSmall = blob.size <= rules.atOnceBytes;
    if (write.isAway || (mayWait && !isSmall)) return 'away';
    // It would overtake an earlier content for the same place.
    if (mayWait && (await this.stored.waitsAt(share.receivedShareId, place.storagePath as NodePath)))
      return 'away';
    const body = await this.blobs.read(blob.blobKey, undefined, UPLOAD_PERMIT, blob.size);
    try {
      return await this.writer.send(share, write, body, { ...options, announcedSize: blob.size });
    } catch (error) {
      if (!mayWait || !(error instanceof PartnerAway)) throw error;
      return error.isDoubtful ? 'in-doubt' : 'away';
    } finally {
      body.destroy();
    }
  }

  private store(write: Write, blob: StoredBlob, isDoubtful: boolean) {
    const { view, asked, place, share, rules, options } = write;
    const mtime = options.mtime ?? new Date();
    const content = { view, asked, writerUid: writerOf(view, place), blob, mtime, isDoubtful };
    return this.stored.enter(share, rules, content, options);
  }

  /**
   * Ends the upload of a file that the partner has. If its sender cancelled the upload meanwhile, a new file is taken back; if that is
   * impossible, the sender learns that the file is there.
   */
  private async settled({ view, options: { upload } }: Write, result: PutResult): Promise<PutResult> {
    if (!upload) return result;
    try {
      await endUpload(new UploadRepository(this.database), upload, result.node.row.id);
    } catch (error) {
      if (!(error instanceof TreeFailure)) throw error;
      if (result.created && (await this.isTakenBack(view, result))) throw error;
    }
    return result;
  }

  private async isTakenBack(view: TreeView, { node }: PutResult): Promise<boolean> {
    const isMade: Condition = (now) => {
      if (now?.row.id !== node.row.id) throw notFound(node.path);
    };
    return this.writer.remove(view, node.path, isMade).then(
      () => true,
      () => false,
    );
  }
}

/** The account that is responsible for a content: it gets the file if the partner refuses it. */
const writerOf = (view: TreeView, place: { readonly ownerUid: string }): string =>
  view.kind === 'user' ? view.uid : place.ownerUid;
