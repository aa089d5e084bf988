import type { Readable } from 'node:stream';
import {
  NodeWriteRepository,
  UploadRepository,
  type Database,
  type Queryable,
  type UploadKind,
  type UploadPart,
  type UploadRow,
  type UploadSender,
  type UploadDeclaration,
} from '#persistence';
import { settingDefinition } from '#sharing';
import { BlobTooLarge, type BlobStore, type StoredBlob } from '../blobs/blob-store';
import { discardOrphans, discardUnused } from '../tree/discard-blobs';
import { ROOT, type NodePath } from '../tree/node-path';
import { assertAnnounced, type PutOptions, type PutResult } from '../tree/put-content';
import { quotaExceeded, roomIn } from '../tree/room';
import { TreeFailure } from '../tree/tree-failure';
import { placeOf, type TreeView } from '../tree/tree-view';
import type { TreeWriter } from '../tree/tree-writer';
import { badRequest, DavFailure } from '../webdav/dav-failure';
import { adoptPieces } from './adopt-pieces';
import { chargedStorage } from './charged-storage';
import { inSendersOrder, StoredPieces } from './pieces';

const fallbackOf = (key: string): number => Number(settingDefinition('files', key)!.fallback);
const MAX_UNFINISHED = fallbackOf('max_unfinished_uploads');
const EXPIRY_DAYS = fallbackOf('unfinished_uploads_days');
/** Pieces of one file; deployed servers and S3 have the same bound. */
const MAX_PIECES = 10_000;
const EXPIRED_AT_ONCE = 50;
const DAY_MS = 24 * 3_600_000;

/** A file of which pieces may have arrived. */
export type UnfinishedUpload = UploadRow;

/** A file that somebody begins to send in pieces. */
export interface BegunUpload {
  readonly kind: UploadKind;
  readonly name: string;
  readonly sender: UploadSender;
  readonly view: TreeView;
  /** Where the file will be; undefined when it is told at the end. */
  readonly target?: NodePath;
  /** Bytes, when they are known. */
  readonly totalSize?: number;
  readonly told?: UploadDeclaration;
}

/** Words of the sender about a piece. */
export interface ExpectedPiece extends Pick<PutOptions, 'announcedSize' | 'checksum'> {
  /** Bytes of all pieces before, where each begins at the end of the one before; nothing is kept of an empty one then. */
  readonly offset?: number;
}

/** Files that arrive in pieces. A piece is durable when its call resolves; the file is put when all are there. */
export class UnfinishedUploads {
  private readonly uploads: UploadRepository;

  constructor(
    private readonly database: Database,
    private readonly blobs: BlobStore,
    private readonly writer: TreeWriter,
  ) {
    this.uploads = new UploadRepository(database);
  }

  /**
   * Notes a file that will come. Where its place is known, it must be one that takes it now.
   * @returns undefined when the sender has an upload of this name
   * @throws TreeFailure `too-many-uploads`, `quota-exceeded`, and what refuses the content at its place
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

  /** The sender's upload of this name; undefined when there is none. */
  look(sender: UploadSender, name: string): Promise<UploadRow | undefined> {
    return this.uploads.find(sender, name);
  }

  /** @throws DavFailure `not-found` */
  async find(sender: UploadSender, name: string): Promise<UploadRow> {
    const found = await this.look(sender, name);
    if (!found) throw gone();
    return found;
  }

  /** A user's uploads in chunks. */
  chunkedBy(uid: string): Promise<UploadRow[]> {
    return this.uploads.ofUser(uid, 'chunks');
  }

  /** The pieces in the order in which they make the file. */
  async pieces({ id }: Pick<UploadRow, 'id'>): Promise<UploadPart[]> {
    return inSendersOrder(await this.uploads.parts(id));
  }

  /**
   * Keeps a piece under its name, in place of one that it had before. Nothing is kept of a piece that breaks off.
   * @returns its bytes
   * @throws TreeFailure `quota-exceeded`, `content-mismatch`, `changed-meanwhile` when pieces do not end where it begins;
   * DavFailure `not-found` when the upload ended meanwhile
   */
  async putPiece(
    upload: UploadRow,
    name: string,
    content: Readable,
    piece: ExpectedPiece = {},
  ): Promise<number> {
    const blob = await this.keep(upload, content, piece.announcedSize);
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

  /** Removes a piece. @throws DavFailure `not-found` */
  async removePiece({ id }: UploadRow, name: string): Promise<void> {
    const blobKey = await this.uploads.removePart(id, name);
    if (blobKey === undefined) throw gone();
    await discardOrphans(this.database, this.blobs, [blobKey]);
  }

  /**
   * Makes the pieces one file, as a PUT of the same content would. When it is refused, the pieces stay, unless something
   * was found in them.
   * @throws TreeFailure as TreeWriter.put; `changed-meanwhile` when a piece came, or somebody else ended it, meanwhile
   */
  async publish(upload: UploadRow, view: TreeView, path: NodePath, options: PutOptions): Promise<PutResult> {
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

  /** An infected content stays one, so that its pieces are of no use. */
  private async endRefused(upload: UploadRow, error: unknown): Promise<never> {
    if (error instanceof TreeFailure && error.code === 'infected') await this.abort(upload);
    throw error;
  }

  /** Forgets an upload with all its pieces. */
  async abort({ id }: Pick<UploadRow, 'id'>): Promise<void> {
    await discardOrphans(this.database, this.blobs, await this.uploads.abort(id));
  }

  /** When an upload is forgotten that gets nothing more. */
  async expiryOf({ touchedAt }: Pick<UploadRow, 'touchedAt'>): Promise<Date> {
    return new Date(touchedAt.getTime() + (await this.uploads.expiryDays(EXPIRY_DAYS)) * DAY_MS);
  }

  /**
   * Notes an upload that has the pieces of others, which end by that.
   * @throws DavFailure `bad-request` when one of them is not whole, or is none that waits for this
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
      await this.abort(begun);
      throw error;
    }
    return this.find(sender, begun.name);
  }

  /** Forgets those that got nothing for the days that the setting names. @returns the number of removed uploads */
  async removeExpired(signal?: AbortSignal): Promise<number> {
    for (let removed = 0; ;) {
      const { uploads, blobKeys } = await this.uploads.removeExpired(EXPIRY_DAYS, EXPIRED_AT_ONCE);
      await discardOrphans(this.database, this.blobs, blobKeys);
      removed += uploads;
      if (uploads < EXPIRED_AT_ONCE || signal?.aborted) return removed;
    }
  }

  private async keep(upload: UploadRow, content: Readable, announcedSize = 0): Promise<StoredBlob> {
    const { balance } = await roomIn(this.database, upload.storageId);
    const room = Math.max(0, balance + upload.replacesBytes);
    if (announcedSize > room) throw quotaExceeded();
    return this.blobs.write(content, room).catch((error: unknown) => {
      throw error instanceof BlobTooLarge ? quotaExceeded() : error;
    });
  }

  /** @returns the key of the piece that had the name before */
  private enter(
    upload: UploadRow,
    name: string,
    blob: StoredBlob,
    offset: number | undefined,
  ): Promise<string | undefined> {
    return this.database.transaction(async (transaction) => {
      const uploads = new UploadRepository(transaction);
      await admitPiece(transaction, upload, blob.size);
      const locked = await uploads.lock(upload.id);
      if (!locked) throw gone();
      if (offset !== undefined && offset !== locked.receivedBytes) throw elsewhere();
      const replaced = await uploads.part(upload.id, name);
      if (!replaced && locked.parts >= MAX_PIECES)
        throw badRequest(`A file has ${MAX_PIECES} pieces at most`);
      await uploads.putPart(upload.id, { name, size: blob.size, blobKey: blob.blobKey }, replaced?.size ?? 0);
      return replaced?.blobKey;
    });
  }
}

/** Under the lock of the storage, so that pieces that arrive at once are counted one after the other. */
async function admitPiece(transaction: Queryable, upload: UploadRow, size: number): Promise<void> {
  await new NodeWriteRepository(transaction).lockStorages([upload.storageId]);
  const { balance } = await roomIn(transaction, upload.storageId);
  if (size > balance + upload.replacesBytes) throw quotaExceeded();
}

/** The pieces do not end where the next one is said to begin. */
export const elsewhere = (): TreeFailure =>
  new TreeFailure('changed-meanwhile', 'The upload goes on at another offset');

const gone = (): DavFailure => new DavFailure('not-found', 'There is no such upload (any more)');
