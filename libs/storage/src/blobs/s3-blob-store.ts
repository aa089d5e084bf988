import { randomUUID } from 'node:crypto';
import { PassThrough, type Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  AbortMultipartUploadCommand,
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  type ListPartsCommandInput,
  paginateListObjectsV2,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { DownloadPermit } from '#sharing';
import {
  BlobMissing,
  BlobTooLarge,
  type BlobListing,
  type BlobPiece,
  type BlobStore,
  type ByteRange,
  type StoredBlob,
} from './blob-store';
import { SAFE_AGE_MS } from './blob-sweep';
import { ContentMeter } from './content-meter';
import { joinedContent } from './joined-content';
import { partsOf, type JoinedPart } from './joined-parts';
import { uploadParts } from './s3-parts';

const KEY = /^[0-9a-f-]{36}$/;
const MEBIBYTE = 1024 * 1024;

export interface S3Place {
  readonly bucket: string;
  /** Prefix of all keys, without slashes at either end; empty for none. */
  readonly prefix: string;
}

/** Sizes in bytes, and a time; default: those of the service. */
export interface S3Limits {
  /** Size of each part of an upload except the last; at least 5 MiB. A file has at most 10,000 parts. */
  readonly partBytes: number;
  /** Maximum size that one request copies. */
  readonly copyBytes: number;
  /** Milliseconds after which an upload is stored once more. */
  readonly renewAfterMs: number;
}

const SERVICE_LIMITS: S3Limits = {
  partBytes: 16 * MEBIBYTE,
  copyBytes: 5 * 1024 * MEBIBYTE,
  renewAfterMs: SAFE_AGE_MS / 2,
};
/** Services accept no smaller parts, except the last. */
const LEAST_PART_BYTES = 5 * MEBIBYTE;
/** Maximum number of parts of an object. */
const MOST_PARTS = 10_000;

/**
 * Stores blobs as objects of a bucket: `<prefix>/<uuid>`. An object appears when its upload is completed, so a crash
 * leaves at worst parts of an upload, which no listing of objects names.
 *
 * Any service with the S3 protocol works. It must read its own writes, and make them durable before it answers.
 */
export class S3BlobStore implements BlobStore {
  private readonly client: S3Client;
  private readonly limits: S3Limits;
  private readonly start: string;

  constructor(
    private readonly place: S3Place,
    config: S3ClientConfig,
    limits: Partial<S3Limits> = {},
  ) {
    // Checksums that only newer services understand are sent only on demand.
    const checksums = {
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    } as const;
    this.client = new S3Client({ ...checksums, ...config });
    this.limits = { ...SERVICE_LIMITS, ...limits };
    this.start = place.prefix === '' ? '' : `${place.prefix}/`;
  }

  async write(content: Readable, limit = Infinity): Promise<StoredBlob> {
    const begunAt = Date.now();
    const blobKey = randomUUID();
    const meter = new ContentMeter(limit);
    // A separate stream, because the library takes a `size` property of a body for its length.
    const body = new PassThrough();
    const upload = new Upload({
      client: this.client,
      params: { ...this.object(blobKey), Body: body },
      partSize: this.limits.partBytes,
      queueSize: 2,
    });
    // The failure of the stream says more than the aborted upload that follows from it.
    const [flow, stored] = await Promise.allSettled([pipeline(content, meter, body), upload.done()]);
    if (flow.status === 'rejected') {
      if (stored.status === 'fulfilled') await this.delete(blobKey);
      throw flow.reason;
    }
    if (stored.status === 'rejected') throw stored.reason;
    return { blobKey: await this.renewed(blobKey, begunAt), size: meter.size, ...meter.digests() };
  }

  async read(blobKey: string, range?: ByteRange): Promise<Readable> {
    const part = range && `bytes=${range.start}-${range.end}`;
    const { Body } = await this.client
      .send(new GetObjectCommand({ ...this.object(blobKey), Range: part }))
      .catch((error: unknown) => {
        throw isMissing(error) ? new BlobMissing(blobKey) : error;
      });
    return Body as Readable;
  }

  async copy(blobKey: string): Promise<string> {
    const copyKey = randomUUID();
    try {
      const size = await this.size(blobKey);
      if (size > this.limits.copyBytes) await this.upload(copyKey, this.partsOf([{ blobKey, size }]));
      else {
        const CopySource = this.sourceOf(blobKey);
        await this.client.send(new CopyObjectCommand({ ...this.object(copyKey), CopySource }));
      }
    } catch (error) {
      throw isMissing(error) ? new BlobMissing(blobKey) : error;
    }
    return copyKey;
  }

  /** The service copies all pieces that are large enough; their bytes are read here only for the digests. */
  async join(pieces: readonly BlobPiece[], limit: number, leave: DownloadPermit): Promise<StoredBlob> {
    const total = pieces.reduce((sum, { size }) => sum + size, 0);
    if (total > limit) throw new BlobTooLarge(limit);
    const parts = this.partsOf(pieces);
    const isWorthIt = parts.some(({ kind }) => kind === 'copied') && parts.length <= MOST_PARTS;
    if (!isWorthIt) return this.write(joinedContent(this, pieces, leave), limit);
    const begunAt = Date.now();
    const blobKey = randomUUID();
    const meter = new ContentMeter(limit);
    const [read, stored] = await Promise.allSettled([
      pipeline(joinedContent(this, pieces, leave), meter, nowhere()),
      this.upload(blobKey, parts),
    ]);
    if (read.status === 'rejected') {
      if (stored.status === 'fulfilled') await this.delete(blobKey);
      throw read.reason;
    }
    if (stored.status === 'rejected') {
      if (!isNotOffered(stored.reason)) throw stored.reason;
      return this.write(joinedContent(this, pieces, leave), limit);
    }
    return { blobKey: await this.renewed(blobKey, begunAt), size: meter.size, ...meter.digests() };
  }

  async size(blobKey: string): Promise<number> {
    const head = await this.client
      .send(new HeadObjectCommand(this.object(blobKey)))
      .catch((error: unknown) => {
        throw isMissing(error) ? new BlobMissing(blobKey) : error;
      });
    return head.ContentLength ?? 0;
  }

  async has(blobKey: string): Promise<boolean> {
    return this.size(blobKey).then(
      () => true,
      (error: unknown) => {
        if (error instanceof BlobMissing) return false;
        throw error;
      },
    );
  }

  async delete(blobKey: string): Promise<void> {
    await this.client.send(new DeleteObjectCommand(this.object(blobKey)));
  }

  async *list(): AsyncIterable<BlobListing> {
    const request = { Bucket: this.place.bucket, Prefix: this.start };
    for await (const page of paginateListObjectsV2({ client: this.client }, request)) {
      for (const { Key, LastModified } of page.Contents ?? []) {
        const blobKey = Key!.slice(this.start.length);
        if (KEY.test(blobKey)) yield { blobKey, storedAt: LastModified! };
      }
    }
  }

  async removeStale(olderThanMs: number): Promise<number> {
    let removed = 0;
    let marker: { KeyMarker?: string; UploadIdMarker?: string } = {};
    for (;;) {
      const page = await this.client.send(
        new ListMultipartUploadsCommand({ Bucket: this.place.bucket, Prefix: this.start, ...marker }),
      );
      for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
        if (Initiated === undefined || Date.now() - Initiated.getTime() < olderThanMs) continue;
        const upload = { Bucket: this.place.bucket, Key, UploadId };
        if (Date.now() - (await this.lastPartAt(upload)) < olderThanMs) continue;
        await this.client.send(new AbortMultipartUploadCommand(upload));
        removed++;
      }
      if (!page.IsTruncated) return removed;
      marker = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
    }
  }

  /** Time of the last part of an upload, in milliseconds since 1970; 0 if it has none, or has ended. A slow upload takes days. */
  private async lastPartAt(upload: ListPartsCommandInput): Promise<number> {
    let last = 0;
    let PartNumberMarker: string | undefined;
    try {
      // Not the library's pages of parts: services name a next part after the last one, too, and it would begin again for ever.
      for (;;) {
        const page = await this.client.send(new ListPartsCommand({ ...upload, PartNumberMarker }));
        last = Math.max(last, ...(page.Parts ?? []).map(({ LastModified }) => LastModified?.getTime() ?? 0));
        if (!page.IsTruncated) return last;
        PartNumberMarker = page.NextPartNumberMarker;
      }
    } catch (error) {
      if (isMissing(error)) return last;
      throw error;
    }
  }

  /**
   * Services date an object by the beginning of its upload. After a long upload the sweep would take it for an orphan before a row refers to
   * it, so it is stored once more, with the present date.
   * @returns the key of the content
   */
  private async renewed(blobKey: string, begunAt: number): Promise<string> {
    if (Date.now() - begunAt < this.limits.renewAfterMs) return blobKey;
    const copyKey = await this.copy(blobKey);
    await this.delete(blobKey);
    return copyKey;
  }

  private partsOf(pieces: readonly BlobPiece[]): JoinedPart[] {
    return partsOf(pieces, { least: LEAST_PART_BYTES, most: this.limits.copyBytes });
  }

  private upload(blobKey: string, parts: readonly JoinedPart[]): Promise<void> {
    return uploadParts(this.client, this.object(blobKey), parts, {
      sourceOf: (source) => this.sourceOf(source),
      read: ({ blobKey: source, ...range }) => this.read(source, range),
    });
  }

  private sourceOf(blobKey: string): string {
    const { Bucket, Key } = this.object(blobKey);
    return `${Bucket}/${Key}`;
  }

  private object(blobKey: string): { Bucket: string; Key: string } {
    if (!KEY.test(blobKey)) throw new Error(`'${blobKey}' is no key of this store`);
    return { Bucket: this.place.bucket, Key: this.start + blobKey };
  }
}

function isMissing(error: unknown): boolean {
  const { name, $metadata } = error as { name?: string; $metadata?: { httpStatusCode?: number } };
  return name === 'NoSuchKey' || name === 'NotFound' || $metadata?.httpStatusCode === 404;
}

/** Whether the service cannot copy parts; some services with the S3 protocol cannot. */
function isNotOffered(error: unknown): boolean {
  const { name, $metadata } = error as { name?: string; $metadata?: { httpStatusCode?: number } };
  return name === 'NotImplemented' || $metadata?.httpStatusCode === 501;
}

/** Drops bytes, which are only checked on their way. */
const nowhere = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() });
