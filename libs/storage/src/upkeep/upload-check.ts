import { UploadCheckRepository, type Database, type StoredPiece } from '#persistence';
import type { BlobStore } from '../blobs/blob-store';
import { discardBlobs } from '../tree/discard-blobs';
import { whileItLasts } from '../uploads/while-it-lasts';
import { PAGE, pages } from './pages';
import type { StorageProblem } from './storage-problem';

/** Finds contradictions between unfinished uploads and the blob store; safe beside a running gateway. */
export class UploadCheck {
  private readonly uploads: UploadCheckRepository;

  constructor(
    private readonly database: Database,
    private readonly blobs: BlobStore,
  ) {
    this.uploads = new UploadCheckRepository(database);
  }

  /** @param repair removes uploads that lost a part, because no sender can complete them, and corrects the sizes of the others */
  async *problems(repair: boolean): AsyncGenerator<StorageProblem> {
    yield* this.missingPieces(repair);
    const wrong = pages(
      (after: number) => this.uploads.wrongBytes(after, PAGE),
      (upload) => upload.uploadId,
      0,
    );
    for await (const { uploadId, counted, actual, ...upload } of wrong) {
      if (repair)
        await this.database.transaction((transaction) =>
          new UploadCheckRepository(transaction).recount(uploadId),
        );
      const detail = `${counted} bytes in the count, ${actual} in its pieces`;
      yield { kind: 'wrong-upload-bytes', subject: nameOf(upload), detail, repaired: repair };
    }
  }

  private async *missingPieces(repair: boolean): AsyncGenerator<StorageProblem> {
    const removed = new Set<number>();
    const pieces = pages(
      (after: string) => this.uploads.piecesAfter(after, PAGE),
      (piece) => piece.blobKey,
      '',
    );
    for await (const piece of pieces) {
      const { uploadId, blobKey } = piece;
      if (removed.has(uploadId) || !(await this.isMissing(blobKey))) continue;
      if (repair) {
        removed.add(uploadId);
        const left = await whileItLasts(this.database, { id: uploadId }, (uploads) =>
          uploads.abort(uploadId),
        );
        await discardBlobs(this.blobs, left ?? []);
      }
      yield { kind: 'missing-piece', subject: nameOf(piece), detail: blobKey, repaired: repair };
    }
  }

  /** Checked twice, because an upload may have been completed or sent again in the meantime. */
  private async isMissing(blobKey: string): Promise<boolean> {
    if (await this.blobs.has(blobKey)) return false;
    return (await this.uploads.pieceOf(blobKey)) !== undefined;
  }
}

const nameOf = ({ uid, shareId, upload }: Pick<StoredPiece, 'uid' | 'shareId' | 'upload'>): string =>
  `${uid ?? `share ${shareId}`} upload ${upload}`;
