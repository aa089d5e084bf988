import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { PreviewJob } from '#previews';
import { CachedPolicy } from '#settings';
import {
  admitDownload,
  BlobMissing,
  DavFailure,
  FileContents,
  NodeTree,
  type NodePath,
  type TreeView,
  type VisibleNode,
} from '#storage';
import { attachmentHeaders, USER_CONTENT } from '../dav/content-headers';
import { DavReply } from '../dav/dav-reply';
import { HEAD_BYTES, pictureTypeOf } from './picture-type';
import { startOf, TooLarge } from './start-of-file';
import { previewRequestIn, type PreviewRequest } from './preview-request';
import { RenderedPictures } from './rendered-pictures';

const TEXT_BYTES = 4096;
const FIRST_BYTE = { start: 0, end: 0 };
const MAX_PICTURE_BYTES = 30 * 1024 * 1024;
/** Limit for a partner's file, which has to be fetched as a whole for a small picture. */
const MAX_PICTURE_BYTES_OF_PARTNER = 5 * 1024 * 1024;

/** Previews of files, for viewers who may download them. */
@Injectable()
export class Previews {
  constructor(
    private readonly tree: NodeTree,
    private readonly pictures: RenderedPictures,
    private readonly contents: FileContents,
    private readonly policy: CachedPolicy,
  ) {}

  /**
   * The preview of a file, with the parameters of the request's query.
   * @throws TreeFailure as for a download, including `view-only`; DavFailure `bad-request` for folders and wrong sizes,
   * `not-found` without a preview;
   * Unavailable if too many are being made
   */
  async reply(request: FastifyRequest, view: TreeView, path: NodePath): Promise<DavReply> {
    const policy = (await this.policy.current()).previews;
    const node = await this.tree.stat(view, path);
    if (node.row.kind === 'folder') throw new DavFailure('bad-request', 'Unsupported file type');
    admitDownload(node);
    const wanted = previewRequestIn(request.query as Record<string, unknown>, policy);
    if (!policy.enabled) throw noPreview();
    const key = keyOf(node, wanted);
    const etag = `"${key}"`;
    const kept = { ...USER_CONTENT, 'cache-control': 'private, max-age=60, must-revalidate', etag };
    if (request.headers['if-none-match'] === etag) return new DavReply(304, kept);
    const holder = view.kind === 'user' ? `user ${view.uid}` : `share ${view.shareId}`;
    const preview = await this.pictures.get(
      key,
      holder,
      () => this.jobOf(node, wanted),
      () => this.admitReader(node),
    );
    if (!preview) throw noPreview();
    return new DavReply(
      200,
      {
        ...attachmentHeaders(`preview.${preview.type.slice('image/'.length)}`),
        'content-type': preview.type,
        'content-length': preview.data.length,
        ...kept,
      },
      request.method === 'HEAD' ? undefined : preview.data,
    );
  }

  /** A partner decides about each reading of its file, also of one that was read before. @throws TreeFailure */
  private async admitReader(node: VisibleNode): Promise<void> {
    if (node.row.receivedShareId === null) return;
    const { body } = await this.contents.open(node, FIRST_BYTE);
    body.destroy();
  }

  /** undefined for content without a preview. */
  private async jobOf(
    node: VisibleNode,
    { width, height, keepsAspect, enlarges }: PreviewRequest,
  ): Promise<PreviewJob | undefined> {
    const { row } = node;
    const shape = { width, height, fit: keepsAspect ? ('inside' as const) : ('cover' as const), enlarges };
    const limit = row.receivedShareId === null ? MAX_PICTURE_BYTES : MAX_PICTURE_BYTES_OF_PARTNER;
    const isSmall = row.size <= limit;
    const isText = row.mimetype.startsWith('text/');
    if (row.size === 0 || !(isText || isSmall)) return undefined;
    const head = await this.bytesOf(node, HEAD_BYTES);
    if (pictureTypeOf(head)) {
      return isSmall ? { kind: 'image', input: await this.bytesOf(node, limit), ...shape } : undefined;
    }
    return isText ? { kind: 'text', input: await this.bytesOf(node, TEXT_BYTES), width, height } : undefined;
  }

  private bytesOf(node: VisibleNode, limit: number): Promise<Buffer> {
    return startOf(this.contents, node, limit).catch((error: unknown) => {
      throw error instanceof BlobMissing || error instanceof TooLarge ? noPreview() : error;
    });
  }
}

const noPreview = (): DavFailure => new DavFailure('not-found', 'There is no preview of this file');

/** Identifies content and form: a blob never changes, and a changed file of a partner has another etag. */
function keyOf({ row, etag }: VisibleNode, { width, height, keepsAspect, enlarges }: PreviewRequest): string {
  const content =
    row.receivedShareId === null ? `blob ${row.blobKey}` : `share ${row.receivedShareId} ${row.id} ${etag}`;
  const isText = row.mimetype.startsWith('text/');
  return createHash('sha256')
    .update([content, width, height, keepsAspect, enlarges, isText].join('\n'))
    .digest('hex');
}
