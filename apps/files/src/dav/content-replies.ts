import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import {
  admitDownload,
  BlobMissing,
  DavFailure,
  FileContents,
  judgePreconditions,
  NodeProperties,
  NodeTree,
  parseRanges,
  rangeStillApplies,
  type ByteRange,
  type NodePath,
  type OpenedContent,
  type TreeView,
  type VisibleNode,
} from '#storage';
import { ByteRanges } from './byte-ranges';
import { currentOf } from './conditions';
import { contentHeaders, stateHeaders, USER_CONTENT } from './content-headers';
import { headerOf } from './dav-call';
import { DavReply } from './dav-reply';

/** Maximum number of tries to read a file that is overwritten again and again. */
const READ_ATTEMPTS = 5;

/** Sends the content of files: all of it, a part, or the answer that the client has it. */
@Injectable()
export class ContentReplies {
  constructor(
    private readonly tree: NodeTree,
    private readonly contents: FileContents,
    private readonly properties: NodeProperties,
  ) {}

  /** @throws TreeFailure; DavFailure `method-not-allowed` for a folder, `range-not-satisfiable`, `precondition-failed` */
  async reply(request: FastifyRequest, view: TreeView, path: NodePath): Promise<DavReply> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.send(request, await this.tree.stat(view, path));
      } catch (error) {
        // The file was overwritten after its node was read, so its present content is read instead.
        if (!(error instanceof BlobMissing) || attempt === READ_ATTEMPTS) throw error;
      }
    }
  }

  /** The reply to HEAD of a file. @throws TreeFailure, DavFailure `precondition-failed` */
  async describe(request: FastifyRequest, node: VisibleNode): Promise<DavReply> {
    admitDownload(node);
    if (isNotModified(request, node)) return notModified(node);
    const ids = { 'oc-fileid': await this.properties.fileId(node.row.id) };
    return new DavReply(200, { ...contentHeaders(node), ...ids, 'content-length': node.row.size });
  }

  /**
   * The reply with one of the checksums that were taken when the file was stored.
   * @param kind such as `sha1`
   * @throws DavFailure `method-not-allowed` for a folder, `bad-request` for a checksum that is not known
   */
  checksum(node: VisibleNode, kind: string): DavReply {
    if (node.row.kind === 'folder') throw new DavFailure('method-not-allowed', 'A folder has no checksum');
    admitDownload(node);
    const known = node.row.checksum?.split(' ') ?? [];
    const asked = known.find((checksum) => checksum.startsWith(`${kind.toUpperCase()}:`));
    if (asked === undefined)
      throw new DavFailure(
        'bad-request',
        'This checksum is not known: SHA1, MD5 and ADLER32 are taken of files that are stored here',
      );
    return new DavReply(204, { 'oc-checksum': asked });
  }

  private async send(request: FastifyRequest, node: VisibleNode): Promise<DavReply> {
    if (node.row.kind === 'folder')
      throw new DavFailure('method-not-allowed', 'A folder has no content: list it with PROPFIND');
    if (request.method === 'HEAD') return this.describe(request, node);
    admitDownload(node);
    if (isNotModified(request, node)) return notModified(node);
    const { size } = node.row;
    const ids = { 'oc-fileid': await this.properties.fileId(node.row.id) };
    const applies = rangeStillApplies(headerOf(request, 'if-range'), currentOf(node));
    const limit = node.row.receivedShareId === null ? undefined : MAX_RANGES_OF_PARTNER;
    const ranges = applies ? parseRanges(headerOf(request, 'range'), size, limit) : undefined;
    const content = await this.contents.open(node, ranges?.[0]);
    const headers = { ...contentHeaders(asItComes(node, content)), ...cacheStatus(content), ...ids };
    if (ranges && ranges.length > 1 && content.range) {
      const parts = new ByteRanges(ranges, node.row.mimetype, content.size);
      const body = parts.body(content, (range) => this.openPart(node, range, content));
      return new DavReply(206, { ...headers, ...parts.headers }, body);
    }
    if (!content.range)
      return new DavReply(200, { ...headers, 'content-length': content.size }, content.body);
    const { start, end } = content.range;
    const part = {
      'content-range': `bytes ${start}-${end}/${content.size}`,
      'content-length': end - start + 1,
    };
    return new DavReply(206, { ...headers, ...part }, content.body);
  }

  /** @throws Error if the content has changed since its first part was opened */
  private async openPart(node: VisibleNode, range: ByteRange, first: OpenedContent): Promise<OpenedContent> {
    const content = await this.contents.open(node, range);
    if (content.etag === first.etag && content.size === first.size && content.range) return content;
    content.body.destroy();
    throw new Error('the content changed while parts of it were sent');
  }
}

/**
 * The age of a kept content, while its partner is unreachable: seconds since the partner last confirmed it. Source: RFC
 * 9211
 */
function cacheStatus({ staleSince }: OpenedContent): Record<string, string> {
  if (!staleSince) return {};
  const seconds = Math.max(1, Math.round((Date.now() - staleSince.getTime()) / 1000));
  return { 'cache-status': `Drawbridge; hit; ttl=-${seconds}; detail=partner-away` };
}

/** A partner without support for ranges sends a whole file for each range. */
const MAX_RANGES_OF_PARTNER = 4;

/** Content at a partner may have changed since its node was read. */
function asItComes(node: VisibleNode, { etag, mtime }: OpenedContent): VisibleNode {
  return { ...node, etag, row: { ...node.row, mtime } };
}

const notModified = (node: VisibleNode): DavReply =>
  new DavReply(304, { ...stateHeaders(node), ...USER_CONTENT });

export function isNotModified(request: FastifyRequest, node: VisibleNode): boolean {
  return judgePreconditions(request.headers, currentOf(node), true) === 'not-modified';
}
