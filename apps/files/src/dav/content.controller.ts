import { Controller, Get, Head, Patch, Put, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import {
  DavFailure,
  NodeProperties,
  NodeTree,
  parseChecksum,
  parseMtime,
  TreeWriter,
  type NodePath,
  type TreeView,
  type VisibleNode,
} from '#storage';
import { RequireScope } from '#identity';
import type { EdgeReply } from '#platform';
import { stateHeaders, writtenHeaders } from './content-headers';
import { ArchiveReplies } from '../archives/archive-replies';
import { archiveRequestOf } from '../archives/archive-request';
import { Previews } from '../previews/previews';
import { conditionOf, isConditional } from './conditions';
import { ContentReplies, isNotModified } from './content-replies';
import { DavAccessGuard } from './dav-access.guard';
import { callOf, headerOf, type DavCall } from './dav-call';
import { created as createdReply, DavReply } from './dav-reply';
import { NamedChunks } from '../uploads/named-chunks';
import { DAV_ROUTES } from './dav-routes';

@Controller()
@RequireScope('files')
@UseGuards(DavAccessGuard)
export class ContentController {
  constructor(
    private readonly tree: NodeTree,
    private readonly contents: ContentReplies,
    private readonly archives: ArchiveReplies,
    private readonly previews: Previews,
    private readonly writer: TreeWriter,
    private readonly properties: NodeProperties,
    private readonly chunks: NamedChunks,
  ) {}

  // Declared before GET: otherwise Fastify would derive a HEAD from GET, which sends folders.
  @Head(DAV_ROUTES)
  async head(@Req() request: FastifyRequest): Promise<DavReply> {
    const { view, path } = callOf(request);
    if (isPreviewWanted(request)) return this.previews.reply(request, view, path);
    const node = await this.tree.stat(view, path);
    if (node.row.kind === 'file') return this.contents.describe(request, node);
    if (isNotModified(request, node)) return new DavReply(304, stateHeaders(node));
    // Clients use this to check whether a folder exists.
    const ids = { 'oc-fileid': await this.properties.fileId(node.row.id) };
    return new DavReply(200, { ...stateHeaders(node), ...ids });
  }

  @Get(DAV_ROUTES)
  async get(@Req() request: FastifyRequest): Promise<EdgeReply> {
    const { view, path } = callOf(request);
    if (isPreviewWanted(request)) return this.previews.reply(request, view, path);
    const archive = archiveRequestOf(request);
    const folder = archive && (await this.folderAt(view, path));
    if (folder) return this.archives.reply(request, view, folder, archive);
    return this.contents.reply(request, view, path);
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
      condition: conditionOf(request),
      isConditional: isConditional(request),
    };
    const isChunk = headerOf(request, 'oc-chunked') !== undefined;
    const written = isChunk
      ? await this.chunks.put(call, request.raw, options)
      : await this.writer.put(call.view, call.path, request.raw, options);
    // The chunk is not the last one.
    if (!written) return createdReply();
    const { node, created } = written;
    // The last chunk counts as created even if the file existed.
    return new DavReply(created || isChunk ? 201 : 204, {
      ...(await writtenHeaders(this.properties, call, node)),
      'x-oc-mtime': mtime && 'accepted',
    });
  }

  /** Clients of Nextcloud ask for a checksum of a file after they changed its time. Source: Nextcloud's header X-Recalculate-Hash. */
  @Patch(DAV_ROUTES)
  async patch(@Req() request: FastifyRequest): Promise<DavReply> {
    const { view, path, uid } = callOf(request);
    const kind = headerOf(request, 'x-recalculate-hash');
    // A page of a link sends PATCH to continue an upload, with a signature that does not let it read.
    if (kind === undefined || uid === undefined)
      throw new DavFailure('method-not-allowed', 'This method is not offered');
    return this.contents.checksum(await this.tree.stat(view, path), kind);
  }

  private async folderAt(view: TreeView, path: NodePath): Promise<VisibleNode | undefined> {
    const node = await this.tree.stat(view, path);
    return node.row.kind === 'folder' ? node : undefined;
  }
}

/** Whether an upload without an account gets another name if its own is taken. Source: ocs-facts 12. */
function makesWay({ shared }: DavCall, autorename: string | undefined): boolean {
  return shared !== undefined && (autorename === '1' || shared.isDrop);
}

const isPreviewWanted = ({ query }: FastifyRequest): boolean =>
  (query as { preview?: unknown }).preview !== undefined;

/** A PUT replaces the whole file. If a part were accepted as the file, the rest would be lost. */
function refusePartialContent(request: FastifyRequest): void {
  if (request.headers['content-range'] !== undefined) {
    throw new DavFailure('bad-request', 'PUT with a Content-Range is not supported');
  }
}
