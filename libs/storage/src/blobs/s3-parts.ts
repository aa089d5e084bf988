import { buffer } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
  type CompletedPart,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { BlobSpan, JoinedPart } from './joined-parts';

/** Maximum number of simultaneous parts. */
const AT_ONCE = 4;

export interface S3Object {
  readonly Bucket: string;
  readonly Key: string;
}

/** Blobs in the same bucket that become parts. */
export interface S3Sources {
  /** `<bucket>/<key>` of a blob. */
  sourceOf(blobKey: string): string;
  read(span: BlobSpan): Promise<Readable>;
}

/** Makes an object from parts. It appears when all parts are complete; otherwise nothing of it is left. */
export async function uploadParts(
  client: S3Client,
  target: S3Object,
  parts: readonly JoinedPart[],
  sources: S3Sources,
): Promise<void> {
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(target));
  const upload = { ...target, UploadId };
  try {
    const done: CompletedPart[] = [];
    for (let first = 0; first < parts.length; first += AT_ONCE) {
      const some = parts.slice(first, first + AT_ONCE);
      const sent = await Promise.allSettled(
        some.map(async (part, index) => {
          const numbered = { ...upload, PartNumber: first + index + 1 };
          return { ETag: await uploadPart(client, numbered, part, sources), PartNumber: numbered.PartNumber };
        }),
      );
      for (const each of sent) {
        if (each.status === 'rejected') throw each.reason;
        done.push(each.value);
      }
    }
    await client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: done } }));
  } catch (error) {
    await client.send(new AbortMultipartUploadCommand(upload));
    throw error;
  }
}

async function uploadPart(
  client: S3Client,
  upload: S3Object & { readonly UploadId: string | undefined; readonly PartNumber: number },
  part: JoinedPart,
  sources: S3Sources,
): Promise<string | undefined> {
  if (part.kind === 'copied') {
    const { blobKey, start, end } = part.span;
    const copied = { CopySource: sources.sourceOf(blobKey), CopySourceRange: `bytes=${start}-${end}` };
    const { CopyPartResult } = await client.send(new UploadPartCopyCommand({ ...upload, ...copied }));
    return CopyPartResult?.ETag;
  }
  const contents: Buffer[] = [];
  for (const span of part.spans) contents.push(await buffer(await sources.read(span)));
  const { ETag } = await client.send(new UploadPartCommand({ ...upload, Body: Buffer.concat(contents) }));
  return ETag;
}
