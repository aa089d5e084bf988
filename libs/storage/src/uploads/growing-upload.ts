import { Readable } from 'node:stream';
import type { UploadRow } from '#persistence';
import type { PutOptions } from '../tree/put-content';
import { TreeFailure } from '../tree/tree-failure';
import { DavFailure } from '../webdav/dav-failure';
import { Cutter } from './cutter';
import { elsewhere, type UnfinishedUploads } from './unfinished-uploads';

/** A process that dies loses at most so many bytes that it had just received. */
const LEAST_PIECE_BYTES = 16 * 1024 * 1024;
const PIECES_OF_WHOLE = 5000;
const DIGITS_OF_OFFSET = 20;

/** Bytes that come for the end of an upload. */
export interface AppendedBytes {
  /** Where the sender believes that the upload ends. */
  readonly offset: number;
  readonly content: Readable;
  /** Bytes that will come, where that is known. */
  readonly announcedSize: number | undefined;
  /** Of all of it: nothing is kept when it differs. */
  readonly checksum: PutOptions['checksum'];
}

/**
 * Adds bytes to the end of an upload. They are kept in pieces as they come: those that came before the sender went away, or
 * before the process died, stay.
 * @returns bytes of the upload then
 * @throws TreeFailure `changed-meanwhile` for another offset, `content-mismatch`, `quota-exceeded`; DavFailure `body-too-large`
 * for more than the upload was said to have
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
    const content = Readable.from(cutter.piece(pieceBytes), { objectMode: false });
    const piece = { offset, checksum: growth.checksum };
    offset += await uploads.putPiece(upload, String(offset).padStart(DIGITS_OF_OFFSET, '0'), content, piece);
  }
  if (cutter.isTooMuch) throw tooMuch();
  if (cutter.failure && growth.checksum)
    throw new TreeFailure('content-mismatch', 'The content ended before its checksum could be right');
  return offset;
}

const tooMuch = (): DavFailure =>
  new DavFailure('body-too-large', 'These are more bytes than the upload was said to have');
