import type { Readable } from 'node:stream';
import {
  NodeWriteRepository,
  UploadRepository,
  type Database,
  type UploadPart,
  type UploadRow,
  type UploadSender,
} from '#persistence';
import { settingDefinition } from '#sharing';
import { BlobTooLarge, type BlobStore, type StoredBlob } from '../blobs/blob-store';
import { forbidden } from '../tree/admission';
import { discardOrphans, discardUnused } from '../tree/discard-blobs';
import { ROOT, type NodePath } from '../tree/node-path';
import { assertAnnounced, type PutOptions, type PutResult } from '../tree/put-content';
import { quotaExceeded, roomIn } from '../tree/room';
import { TreeFailure } from '../tree/tree-failure';
import { placeOf, type TreeView } from '../tree/tree-view';
import type { TreeWriter } from '../tree/tree-writer';
import { badRequest, DavFailure } from '../webdav/dav-failure';
import { adoptPieces } from './adopt-pieces';
import type { BegunUpload, ExpectedPiece } from './begun-upload';
import { chargedStorage } from './charged-storage';
import { roomForPiece } from './piece-room';
import { inSendersOrder, StoredPieces } from './pieces';
import { whileItLasts } from './while-it-lasts';

const fallbackOf = (key: string): number => Number(settingDefinition('files', key)!.fallback);
const MAX_UNFINISHED = fallbackOf('max_unfinished_uploads');
const EXPIRY_DAYS = fallbackOf('unfinished_uploads_days');
/** Maximum of parts per file, as in deployed servers and S3. */
const MAX_PIECES = 10_000;
const EXPIRED_AT_ONCE = 50;
const DAY_MS = 24 * 3_600_000;

/** An upload whose parts may have arrived. */
export type UnfinishedUpload = UploadRow;

/** Files that arrive in parts. A part is durable when its call resolves; the file is written when all parts are there. */
export class UnfinishedUploads {
  private readonly uploads: UploadRepository;
  /** Files that this process makes of uploads, by the upload's id. */
  private readonly comingFiles = new Map<number, Promise<PutResult>>();

  constructor(
    private readonly database: Database,
    private readonly blobs: BlobStore,
    private readonly writer: TreeWriter,
  ) {
    this.uploads = new UploadRepository(database);
  }

  /**
   * Begins an upload. If its place is known, it must accept the file now.
   * @returns undefined if the sender already has an upload with this name
   * @throws TreeFailure `too-many-uploads`, `quota-exceeded`, and refusals of the content at its place
   */
  async begin(
    { view, target, ...upload }: BegunUpload,
    options: PutOptions = {},
  ): Promise<UploadRow | undefined> {
    await this.writer.admitSize(view, { ...options, announcedSize: upload.totalSize });
    const place =
      target === undefined
        ? await placeOf(this.database, view, ROOT)
        : await this.writer.placeFor(view, target, options);
    const storageId = await chargedStorage(this.database, view, place);
    const replacesBytes = target === undefined || options.makesWay ? 0 : (place.node?.size ?? 0);
    if (upload.totalSize !== undefined) {
      const { balance } = await roomIn(this.database, storageId);
      if (upload.totalSize > balance + replacesBytes) throw quotaExceeded();
    }
    if (await this.uploads.isFull(upload.sender, MAX_UNFINISHED))
      throw new TreeFailure('too-many-uploads', 'Too many uploads are unfinished: end or abort some first');
    const { totalSize = null, told = {} } = upload;
    return this.uploads.insert({
      ...upload,
      totalSize,
      told,
      storageId,
      replacesBytes,
      target: target ?? null,
    });
  }

  /** The sender's upload with this name; undefined if there is none. */
  look(sender: UploadSender, name: string): Promise<UploadRow | undefined> {
    return this.uploads.find(sender, name);
  }

  /** @throws DavFailure `not-found` */
  async find(sender: UploadSender, name: string): Promise<UploadRow> {
    const found = await this.look(sender, name);
    if (!found) throw gone();
    return found;
  }

  /** Forgets a finished upload, so that its name can be used again. */
  async forget(upload: UploadRow): Promise<void> {
    await this.uploads.remove(upload);
  }

  /** A user's uploads in chunks. */
  chunkedBy(uid: string): Promise<UploadRow[]> {
    return this.uploads.ofUser(uid, 'chunks');
  }

  /** The parts, in the order in which they form the file. */
  async pieces({ id }: Pick<UploadRow, 'id'>): Promise<UploadPart[]> {
    return inSendersOrder(await this.uploads.parts(id));
  }

  /**
   * Stores a part under its name, and replaces an earlier one. Nothing is stored of an interrupted part.
   * @returns its size in bytes
   * @throws TreeFailure `quota-exceeded`, `content-mismatch`, `changed-meanwhile` if it does not begin where the parts end, `forbidden`
   * as long as the sender may not write at the place of the file; DavFailure `not-found` if the upload has ended
   */
  async putPiece(upload: UploadRow, name: string, content: Readable, piece: ExpectedPiece): Promise<number> {
    await this.admitPiece(upload, piece);
    const blob = await this.keep(upload, name, content, piece.announcedSize);
    try {
      assertAnnounced(blob, piece);
      const isNothing = piece.offset !== undefined && blob.size === 0;
      const superfluous = isNothing ? blob.blobKey : await this.enter(upload, name, blob, piece.offset);
      if (superfluous) await discardOrphans(this.database, this.blobs, [superfluous]);
      return blob.size;
    } catch (error) {
      await discardUnused(this.blobs, [blob.blobKey], error);
      throw error;
    }
  }

  /** Removes a part. @throws DavFailure `not-found`, also if the upload has ended */
  async removePiece(upload: UploadRow, name: string): Promise<void> {
    const blobKey = await whileItLasts(this.database, upload, (uploads) =>
      uploads.removePart(upload.id, name),
    );
    if (blobKey === undefined) throw gone();
    await discardOrphans(this.database, this.blobs, [blobKey]);
  }

  /**
   * Makes the parts one file, as a PUT of the same content would. If it is refused, the parts stay, unless the scanner had
   * a finding.
   * @throws TreeFailure as TreeWriter.put; `changed-meanwhile` if a part came, or another request ended it, in the meantime
   */
  async publish(upload: UploadRow, view: TreeView, path: NodePath, options: PutOptions): Promise<PutResult> {
    const coming = this.makeFile(upload, view, path, options);
    this.comingFiles.set(upload.id, coming);
    try {
      return await coming;
    } finally {
      this.comingFiles.delete(upload.id);
    }
  }

  /** The file that this process is just making of an upload; undefined if it makes none, or if it fails. */
  async comingFile({ id }: Pick<UploadRow, 'id'>): Promise<PutResult | undefined> {
    return this.comingFiles.get(id)?.catch(() => undefined);
  }

  private async makeFile(
    upload: UploadRow,
    view: TreeView,
    path: NodePath,
    options: PutOptions,
  ): Promise<PutResult> {
    const pieces = await this.pieces(upload);
    const size = pieces.reduce((sum, piece) => sum + piece.size, 0);
    const wanted = options.announcedSize ?? upload.totalSize ?? size;
    if (wanted !== size)
      throw new TreeFailure('content-mismatch', `Chunks on server do not sum up to ${wanted} but to ${size}`);
    const content = new StoredPieces(this.blobs, pieces);
    const result = await this.writer
      .put(view, path, content, { ...options, announcedSize: size, upload })
      .catch((error: unknown) => this.endRefused(upload, error));
    await discardOrphans(
      this.database,
      this.blobs,
      pieces.map(({ blobKey }) => blobKey),
    );
    return result;
  }

  /** An infected content stays infected, so its parts are useless. */
  private async endRefused(upload: UploadRow, error: unknown): Promise<never> {
    if (error instanceof TreeFailure && error.code === 'infected') await this.discard(upload);
    throw error;
  }

  /** Removes an upload with all its parts. @throws DavFailure `not-found` if it has ended, perhaps with its file */
  async abort(upload: Pick<UploadRow, 'id'>): Promise<void> {
    if (!(await this.discard(upload))) throw gone();
  }

  /** @returns false if it has ended */
  private async discard(upload: Pick<UploadRow, 'id'>): Promise<boolean> {
    const blobKeys = await whileItLasts(this.database, upload, (uploads) => uploads.abort(upload.id));
    await discardOrphans(this.database, this.blobs, blobKeys ?? []);
    return blobKeys !== undefined;
  }

  /** Time at which an upload without further parts is removed. */
  async expiryOf({ touchedAt }: Pick<UploadRow, 'touchedAt'>): Promise<Date> {
    return new Date(touchedAt.getTime() + (await this.uploads.expiryDays(EXPIRY_DAYS)) * DAY_MS);
  }

  /**
   * Stores an upload that takes over the parts of others, which end with that.
   * @throws DavFailure `bad-request` if one of them is incomplete, or was not made for joining
   */
  async join(
    sender: UploadSender,
    names: readonly string[],
    whole: BegunUpload,
    options: PutOptions,
  ): Promise<UploadRow> {
    const begun = await this.begin(whole, options);
    if (!begun) throw new DavFailure('bad-request', 'There is such an upload');
    try {
      await this.database.transaction((transaction) => adoptPieces(transaction, sender, names, begun));
    } catch (error) {
      await this.discard(begun);
      throw error;
    }
    return this.find(sender, begun.name);
  }

  /** Removes uploads that got no part for the days of the setting. @returns the number of removed uploads */
  async removeExpired(signal?: AbortSignal): Promise<number> {
    for (let removed = 0; ;) {
      const { uploads, blobKeys } = await this.uploads.removeExpired(EXPIRY_DAYS, EXPIRED_AT_ONCE);
      await discardOrphans(this.database, this.blobs, blobKeys);
      removed += uploads;
      if (uploads < EXPIRED_AT_ONCE || signal?.aborted) return removed;
    }
  }

  /**
   * A former recipient gets no more of the owner's quota. The upload stays until it expires: the permission may come back.
   * @throws TreeFailure `forbidden`
   */
  private async admitPiece(upload: UploadRow, { view }: ExpectedPiece): Promise<void> {
    const { target, storageId } = upload;
    if (target === null) return;
    const place = await placeOf(this.database, view, target as NodePath);
    const isCharged = (await chargedStorage(this.database, view, place)) === storageId;
    // A partner is asked about its permissions at the end; the bytes do not count to its quota.
    const mayFill = place.receivedShareId !== null || place.access.may('create') || place.access.may('write');
    if (!isCharged || !mayFill) throw forbidden();
  }

  private async keep(
    upload: UploadRow,
    name: string,
    content: Readable,
    announcedSize = 0,
  ): Promise<StoredBlob> {
    const replaced = await this.uploads.part(upload.id, name);
    const room = Math.max(0, await roomForPiece(this.database, upload, replaced));
    if (announcedSize > room) throw quotaExceeded();
    return this.blobs.write(content, room).catch((error: unknown) => {
      throw error instanceof BlobTooLarge ? quotaExceeded() : error;
    });
  }

  /** @returns the key of the replaced part */
  private enter(
    upload: UploadRow,
    name: string,
    blob: StoredBlob,
    offset: number | undefined,
  ): Promise<string | undefined> {
    return this.database.transaction(async (transaction) => {
      const uploads = new UploadRepository(transaction);
      // Simultaneous parts are counted one after the other.
      await new NodeWriteRepository(transaction).lockStorages([upload.storageId]);
      const locked = await uploads.lock(upload.id);
      if (!locked) throw gone();
      if (offset !== undefined && offset !== locked.receivedBytes) throw elsewhere();
      const replaced = await uploads.part(upload.id, name);
      if (blob.size > (await roomForPiece(transaction, upload, replaced))) throw quotaExceeded();
      if (!replaced && locked.parts >= MAX_PIECES)
        throw badRequest(`A file has ${MAX_PIECES} pieces at most`);
      await uploads.putPart(upload.id, { name, size: blob.size, blobKey: blob.blobKey }, replaced?.size ?? 0);
      return replaced?.blobKey;
    });
  }
}

/** The next part does not begin where the parts end. */
export const elsewhere = (): TreeFailure =>
  new TreeFailure('changed-meanwhile', 'The upload goes on at another offset');

const gone = (): DavFailure => new DavFailure('not-found', 'There is no such upload (any more)');
