import type { BlobPiece } from './blob-store';

/** A range of bytes of one blob, both ends included. */
export interface BlobSpan {
  readonly blobKey: string;
  readonly start: number;
  readonly end: number;
}

/** A part of an object: one span that the service copies, or spans that have to be read and written again. */
export type JoinedPart =
  | { readonly kind: 'copied'; readonly span: BlobSpan }
  | { readonly kind: 'written'; readonly spans: readonly BlobSpan[] };

/** In bytes. */
export interface PartLimits {
  /** Minimum size of every part except the last. */
  readonly least: number;
  /** Maximum size of a copied part. */
  readonly most: number;
}

/**
 * The parts of an object that consists of all pieces, one after the other. As much as possible is copied. Only pieces
 * that are too small for a
 * part are written again, together with following bytes until the part is large enough.
 */
export function partsOf(pieces: readonly BlobPiece[], limits: PartLimits): JoinedPart[] {
  const plan = new PartPlan(limits);
  const filled = pieces.filter(({ size }) => size > 0);
  for (const [index, piece] of filled.entries()) plan.add(piece, index === filled.length - 1);
  return plan.end();
}

class PartPlan {
  private readonly parts: JoinedPart[] = [];
  private waiting: BlobSpan[] = [];
  private waitingBytes = 0;

  constructor(private readonly limits: PartLimits) {}

  add({ blobKey, size }: BlobPiece, isLast: boolean): void {
    const { least, most } = this.limits;
    let start = this.fillUp(blobKey, size, isLast);
    while (start < size) {
      const end = Math.min(start + most, size);
      if (end - start < least && !(isLast && end === size)) this.wait(blobKey, start, end);
      else this.parts.push({ kind: 'copied', span: { blobKey, start, end: end - 1 } });
      start = end;
    }
  }

  end(): JoinedPart[] {
    if (this.waitingBytes > 0) this.write();
    return this.parts;
  }

  /** Adds as many bytes of a piece as the waiting part lacks; the whole piece if its rest would be too small. @returns start of the rest */
  private fillUp(blobKey: string, size: number, isLast: boolean): number {
    if (this.waitingBytes === 0) return 0;
    const { least } = this.limits;
    const lacking = least - this.waitingBytes;
    const isRestTooSmall = size - lacking < least && !isLast;
    const taken = isRestTooSmall ? size : Math.min(size, lacking);
    this.wait(blobKey, 0, taken);
    if (this.waitingBytes >= least) this.write();
    return taken;
  }

  private wait(blobKey: string, start: number, end: number): void {
    this.waiting.push({ blobKey, start, end: end - 1 });
    this.waitingBytes += end - start;
  }

  private write(): void {
    this.parts.push({ kind: 'written', spans: this.waiting });
    this.waiting = [];
    this.waitingBytes = 0;
  }
}
