import { Controller, Get, Param, Query, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AccountGuard, RequireScope, identityOf, sessionOf } from '#identity';
import { PublicAddress, type EdgeReply } from '#platform';
import { assertInService, CachedPolicy } from '#settings';
import {
  hrefOf,
  nameOf,
  NodeTree,
  parentOf,
  ROOT,
  TreeFailure,
  type NodePath,
  type VisibleNode,
} from '#storage';
import { RedirectReply } from '#pages';

const NODE_ID = /^[1-9]\d{0,14}$/;

/**
 * Private links: an address of a file that stays the same when the file moves, for everybody who can see the file. It
 * leads to the file's place in the tree of the signed-in user: on the pages in a browser with a session, otherwise by WebDAV.
 */
@Controller(['f', 'index.php/f'])
@RequireScope('files')
@UseGuards(AccountGuard)
export class PrivateLinkController {
  constructor(
    private readonly tree: NodeTree,
    private readonly policy: CachedPolicy,
    private readonly publicAddress: PublicAddress,
  ) {}

  @Get(':id')
  async redirect(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Query('details') details: unknown,
  ): Promise<EdgeReply> {
    await assertInService(this.policy);
    const { uid } = identityOf(request);
    const { path, row } = await this.find(uid, id);
    const href = hrefOf(`/remote.php/dav/files/${encodeURIComponent(uid)}`, path, row.kind === 'folder');
    const page = sessionOf(request) && `${this.publicAddress.path}${pageOf(path, row.kind, details)}`;
    // Clients that open private links themselves read the second address, whatever page the first leads to.
    return new RedirectReply(page ?? href, { 'webdav-location': href });
  }

  /** @throws TreeFailure `not-found` */
  private async find(uid: string, id: string): Promise<VisibleNode> {
    const node = NODE_ID.test(id) ? await this.tree.locate(uid, Number(id)) : undefined;
    if (!node) throw new TreeFailure('not-found', 'The file could not be found');
    return node;
  }
}

/**
 * The page of a node: a folder's own page, or that of the folder that contains a file.
 * @param details from the address; ignored, because the page always opens the details of the node
 */
function pageOf(path: NodePath, kind: VisibleNode['row']['kind'], details: unknown): string {
  const isOpened = kind === 'folder' && (details === undefined || path === ROOT);
  const folder = hrefOf('/web/files', isOpened ? path : parentOf(path), false);
  if (isOpened) return folder;
  const shown = new URLSearchParams({ shown: nameOf(path), ...(details !== undefined && { details: '' }) });
  return `${folder}?${shown.toString()}`;
}
