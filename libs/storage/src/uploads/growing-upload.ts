import { Readable } from 'node:stream';
import type { UploadRow } from '#persistence';
import { hasOwnPieces, withOwnPieces } from '../blobs/own-pieces';
import type { PutOptions } from '../tree/put-content';
import { TreeFailure } from '../tree/tree-failure';
import { DavFailure } from '../webdav/dav-failure';
import { Cutter } from './cutter';
import type { ExpectedPiece } from './begun-upload';
import { elsewhere, type UnfinishedUploads } from './unfinished-uploads';

/** Maximum of received bytes that a dying process loses. */
const LEAST_PIECE_BYTES = 16 * 1024 * 1024;
const PIECES_OF_WHOLE = 5000;
const DIGITS_OF_OFFSET = 20;

/** Bytes for the end of an upload. */
export interface AppendedBytes extends Pick<ExpectedPiece, 'view'> {
  /** End of the upload, as the sender believes. */
  readonly offset: number;
  readonly content: Readable;
  /** Announced number of bytes, if there is one. */
  readonly announcedSize: number | undefined;
  /** Checksum of all bytes: if it differs, nothing is kept. */
  readonly checksum: PutOptions['checksum'];
}

/**
 * Appends bytes to an upload. They are stored in parts as they come: parts that arrived before the sender disconnected, or
 * the process died, stay.
 * @returns the new size of the upload in bytes
 * @throws TreeFailure `changed-meanwhile` for another offset, `content-mismatch`, `quota-exceeded`; DavFailure `body-too-large`
 * for more bytes than announced
 */
export async function grow(
  uploads: UnfinishedUploads,
  upload: UploadRow,
  growth: AppendedBytes,
): Promise<number> {
  const left = (upload.totalSize ?? Infinity) - upload.receivedBytes;
  if (growth.offset !== upload.receivedBytes) throw elsewhere();
  if ((growth.announcedSize ?? 0) > left) throw tooMuch();
  const cutter = new Cutter(growth.content, left);
  const pieceBytes = growth.checksum
    ? Infinity
    : Math.max(LEAST_PIECE_BYTES, Math.ceil((upload.totalSize ?? 0) / PIECES_OF_WHOLE));
  let offset = growth.offset;
  while (!cutter.hasEnded) {
    const part = Readable.from(cutter.piece(pieceBytes), { objectMode: false });
    const content = hasOwnPieces(growth.content) ? withOwnPieces(part) : part;
    const piece = { view: growth.view, offset, checksum: growth.checksum };
    offset += await uploads.putPiece(upload, String(offset).padStart(DIGITS_OF_OFFSET, '0'), content, piece);
  }
  if (cutter.isTooMuch) throw tooMuch();
  if (cutter.failure && growth.checksum)
    throw new TreeFailure('content-mismatch', 'The content ended before its checksum could be right');
  return offset;
}

const tooMuch = (): DavFailure =>
  new DavFailure('body-too-large', 'These are more bytes than the upload was said to have');
