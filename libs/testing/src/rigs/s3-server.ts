import { mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver, { type S3Call } from 's3rver';

/** An S3 service for specs. */
export interface S3Server {
  /** `http://127.0.0.1:<port>` */
  readonly endpoint: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Whether it can copy parts; some services cannot. */
  copiesParts: boolean;
  /** Bytes of the bodies of all requests so far. */
  receivedBytes(): number;
  /** Makes all multipart uploads as old as if they had begun so many milliseconds earlier; the times of their parts stay. Their objects are dated by that. @returns the number of uploads */
  ageUploads(ms: number): number;
  close(): Promise<void>;
}

const BUCKET = 'blobs';

/**
 * Starts s3rver on loopback with one empty bucket. It implements a small part of S3. Operations on multipart
 * uploads that it lacks (aborting, listing, copying a part, listing parts) are added here, so for those four the specs only prove that requests match
 * our understanding, not that a service accepts them.
 */
export async function startS3Server(): Promise<S3Server> {
  const directory = mkdtempSync(join(tmpdir(), 'drawbridge-s3-'));
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: BUCKET, configs: [] }],
  });
  const uploads = new Uploads(server, directory);
  server.middleware.unshift((call, next) => uploads.handle(call, next));
  const { port } = await server.run();
  return {
    get copiesParts() {
      return uploads.copiesParts;
    },
    set copiesParts(does) {
      uploads.copiesParts = does;
    },
    receivedBytes: () => uploads.receivedBytes,
    ageUploads: (ms) => uploads.age(ms),
    endpoint: `http://127.0.0.1:${port}`,
    bucket: BUCKET,
    accessKeyId: 'S3RVER',
    secretAccessKey: 'S3RVER',
    close: async () => {
      await server.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

interface OpenUpload {
  readonly key: string;
  initiated: Date;
  /** Times of the parts, by their numbers. */
  readonly parts: Map<number, Date>;
}

/** Running multipart uploads. */
class Uploads {
  copiesParts = true;
  receivedBytes = 0;
  private readonly open = new Map<string, OpenUpload>();

  constructor(
    private readonly server: S3rver,
    private readonly directory: string,
  ) {}

  async handle(call: S3Call, next: () => Promise<void>): Promise<void> {
    const { uploadId, partNumber } = call.query;
    this.receivedBytes += Number(call.get('content-length') || 0);
    const key = decodeURIComponent(call.path).slice(`/${BUCKET}/`.length);
    if (call.method === 'GET' && 'uploads' in call.query) return this.list(call, call.query['prefix'] ?? '');
    if (call.method === 'GET' && uploadId !== undefined) return this.listParts(call, uploadId);
    if (call.method === 'DELETE' && uploadId !== undefined) return this.giveUp(call, uploadId);
    if (uploadId !== undefined && partNumber !== undefined && call.get('x-amz-copy-source-range') !== '')
      return this.copyPart(call, uploadId, Number(partNumber));
    await next();
    const filled = call.method === 'PUT' && uploadId !== undefined ? this.open.get(uploadId) : undefined;
    filled?.parts.set(Number(partNumber), new Date());
    if (call.method !== 'POST' || call.status !== 200) return;
    if (uploadId !== undefined) this.complete(uploadId);
    const made = /<UploadId>([^<]+)/.exec(String(call.body))?.[1];
    if (made !== undefined) this.open.set(made, { key, initiated: new Date(), parts: new Map() });
  }

  /** Services date an object by the beginning of its upload. */
  private complete(uploadId: string): void {
    const upload = this.open.get(uploadId);
    this.open.delete(uploadId);
    if (!upload) return;
    const path = join(this.directory, BUCKET, `${upload.key}._S3rver_object`);
    utimesSync(path, upload.initiated, upload.initiated);
  }

  private list(call: S3Call, prefix: string): void {
    const found = [...this.open].filter(([, { key }]) => key.startsWith(prefix));
    const entries = found.map(
      ([id, { key, initiated }]) =>
        `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${initiated.toISOString()}</Initiated></Upload>`,
    );
    answer(
      call,
      `<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>${entries.join('')}</ListMultipartUploadsResult>`,
    );
  }

  /** One part per page. Each page names the part after which the next one begins, also the last page, as services do. */
  private listParts(call: S3Call, uploadId: string): void {
    const upload = this.open.get(uploadId);
    if (!upload) return answer(call, '<Error><Code>NoSuchUpload</Code></Error>', 404);
    const after = Number(call.query['part-number-marker'] ?? 0);
    const part = [...upload.parts].sort(([one], [other]) => one - other).find(([number]) => number > after);
    const isTruncated = [...upload.parts.keys()].some((number) => number > (part?.[0] ?? Infinity));
    const listed = part
      ? `<Part><PartNumber>${part[0]}</PartNumber><LastModified>${part[1].toISOString()}</LastModified></Part>`
      : '';
    answer(
      call,
      `<ListPartsResult><IsTruncated>${isTruncated}</IsTruncated><NextPartNumberMarker>${part?.[0] ?? 0}</NextPartNumberMarker>${listed}</ListPartsResult>`,
    );
  }

  age(ms: number): number {
    for (const upload of this.open.values()) upload.initiated = new Date(upload.initiated.getTime() - ms);
    return this.open.size;
  }

  private giveUp(call: S3Call, uploadId: string): void {
    call.status = this.open.delete(uploadId) ? 204 : 404;
  }

  private async copyPart(call: S3Call, uploadId: string, part: number): Promise<void> {
    if (!this.copiesParts) return answer(call, '<Error><Code>NotImplemented</Code></Error>', 501);
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(call.get('x-amz-copy-source-range'))!;
    const source = decodeURIComponent(call.get('x-amz-copy-source')).replace(/^\/?[^/]+\//, '');
    const range = { start: Number(start), end: Number(end) };
    const found = await this.server.store.getObject(BUCKET, source, range).catch(() => undefined);
    if (!found) return answer(call, '<Error><Code>NoSuchKey</Code></Error>', 404);
    const { content } = found;
    const { md5 } = await this.server.store.putPart(BUCKET, uploadId, part, content);
    answer(call, `<CopyPartResult><ETag>"${md5}"</ETag></CopyPartResult>`);
  }
}

function answer(call: S3Call, xml: string, status = 200): void {
  call.status = status;
  call.type = 'application/xml';
  call.body = xml;
}
