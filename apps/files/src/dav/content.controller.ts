import { Controller, Get, Head, Put, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import {
  admitDownload,
  BlobMissing,
  DavFailure,
  FileContents,
  judgePreconditions,
  NodeProperties,
  NodeTree,
  parseChecksum,
  parseMtime,
  parseRange,
  rangeStillApplies,
  TreeWriter,
  type OpenedContent,
  type VisibleNode,
} from '#storage';
import { contentHeaders, stateHeaders, writtenHeaders } from './content-headers';
import { currentOf } from './conditions';
import { DavAccessGuard } from './dav-access.guard';
import { callOf, headerOf, type DavCall } from './dav-call';
import { created as createdReply, DavReply } from './dav-reply';
import { NamedChunks } from '../uploads/named-chunks';
import { DAV_ROUTES } from './dav-routes';

/** Headers that make a PUT depend on what stands there. */
const CONDITIONS = ['if-match', 'if-none-match', 'if-unmodified-since'];

/** How often a GET looks again for a file that is being overwritten all the time. */
const READ_ATTEMPTS = 5;

@Controller()
@UseGuards(DavAccessGuard)
export class ContentController {
  constructor(
    private readonly tree: NodeTree,
    private readonly contents: FileContents,
    private readonly writer: TreeWriter,
    private readonly properties: NodeProperties,
    private readonly chunks: NamedChunks,
  ) {}

  // Before GET: Fastify would make a HEAD of its own from that, which opens the content.
  @Head(DAV_ROUTES)
  async head(@Req() request: FastifyRequest): Promise<DavReply> {
    const node = await this.nodeOf(request);
    if (node.row.kind === 'file') admitDownload(node);
    if (isNotModified(request, node)) return new DavReply(304, stateHeaders(node));
    // Clients ask this way whether a folder is there.
    if (node.row.kind === 'folder')
      return new DavReply(200, { ...stateHeaders(node), ...(await this.ids(node)) });
    return new DavReply(200, {
      ...contentHeaders(node),
      ...(await this.ids(node)),
      'content-length': node.row.size,
    });
  }

  @Get(DAV_ROUTES)
  async get(@Req() request: FastifyRequest): Promise<DavReply> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.send(request, await this.fileOf(request));
      } catch (error) {
        // Overwritten after its node was read: what it holds now is asked for again.
        if (!(error instanceof BlobMissing) || attempt === READ_ATTEMPTS) throw error;
      }
    }
  }

  private async send(request: FastifyRequest, node: VisibleNode): Promise<DavReply> {
    admitDownload(node);
    if (isNotModified(request, node)) return new DavReply(304, stateHeaders(node));
    const { size } = node.row;
    const applies = rangeStillApplies(headerOf(request, 'if-range'), currentOf(node));
    const range = applies ? parseRange(headerOf(request, 'range'), size) : undefined;
    const ids = await this.ids(node);
    const content = await this.contents.open(node, range);
    const headers = { ...contentHeaders(asItComes(node, content)), ...ids };
    if (!content.range)
      return new DavReply(200, { ...headers, 'content-length': content.size }, content.body);
    const { start, end } = content.range;
    const part = {
      'content-range': `bytes ${start}-${end}/${content.size}`,
      'content-length': end - start + 1,
    };
    return new DavReply(206, { ...headers, ...part }, content.body);
  }

  @Put(DAV_ROUTES)
  async put(@Req() request: FastifyRequest): Promise<DavReply> {
    const call = callOf(request);
    refusePartialContent(request);
    const length = headerOf(request, 'content-length');
    const mtime = parseMtime(headerOf(request, 'x-oc-mtime'));
    const options = {
      makesWay: makesWay(call, headerOf(request, 'oc-autorename')),
      makesParents: call.shared?.isDrop,
      announcedSize: length === undefined ? undefined : Number(length),
      mtime,
      checksum: parseChecksum(headerOf(request, 'oc-checksum')),
      condition: (existing: VisibleNode | undefined) =>
        judgePreconditions(request.headers, existing && currentOf(existing), false),
      isConditional: CONDITIONS.some((name) => request.headers[name] !== undefined),
    };
    const written =
      headerOf(request, 'oc-chunked') === undefined
        ? await this.writer.put(call.view, call.path, request.raw, options)
        : await this.chunks.put(call, request.raw, options);
    // A chunk that is not the last one.
    if (!written) return createdReply();
    const { node, created } = written;
    return new DavReply(created ? 201 : 204, {
      ...(await writtenHeaders(this.properties, call, node)),
      'x-oc-mtime': mtime && 'accepted',
    });
  }

  private nodeOf(request: FastifyRequest): Promise<VisibleNode> {
    const { view, path } = callOf(request);
    return this.tree.stat(view, path);
  }

  private async fileOf(request: FastifyRequest): Promise<VisibleNode> {
    const node = await this.nodeOf(request);
    if (node.row.kind === 'folder') {
      throw new DavFailure('method-not-allowed', 'A folder has no content: list it with PROPFIND');
    }
    return node;
  }

  private async ids(node: VisibleNode): Promise<Record<string, string>> {
    return { 'oc-fileid': await this.properties.fileId(node.row.id) };
  }
}

/** Content at a partner may have changed since its node was read. */
function asItComes(node: VisibleNode, { etag, mtime }: OpenedContent): VisibleNode {
  return { ...node, etag, row: { ...node.row, mtime } };
}

/** Whether an upload by whoever has no account here gets another name where its own is taken. Source: ocs-facts 12. */
function makesWay({ shared }: DavCall, autorename: string | undefined): boolean {
  return shared !== undefined && (autorename === '1' || shared.isDrop);
}

function isNotModified(request: FastifyRequest, node: VisibleNode): boolean {
  return judgePreconditions(request.headers, currentOf(node), true) === 'not-modified';
}

/** A PUT replaces the whole file: taken for it, a part would destroy the rest. */
function refusePartialContent(request: FastifyRequest): void {
  if (request.headers['content-range'] !== undefined) {
    throw new DavFailure('bad-request', 'PUT with a Content-Range is not supported');
  }
}
