import { Controller, Get, Param, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AccountGuard, EntranceFor, identityOf } from '#identity';
import type { EdgeReply } from '#platform';
import { assertInService, CachedPolicy } from '#settings';
import { hrefOf, NodeTree, TreeFailure, type VisibleNode } from '#storage';
import { RedirectReply } from '#pages';

const NODE_ID = /^[1-9]\d{0,14}$/;

/**
 * Private links: the address of a file that stays the same when the file moves, for everybody who sees the file. It
 * leads to the file's place in the tree of the signed-in user.
 */
@Controller(['f', 'index.php/f'])
@EntranceFor('files')
@UseGuards(AccountGuard)
export class PrivateLinkController {
  constructor(
    private readonly tree: NodeTree,
    private readonly policy: CachedPolicy,
  ) {}

  @Get(':id')
  async redirect(@Req() request: FastifyRequest, @Param('id') id: string): Promise<EdgeReply> {
    await assertInService(this.policy);
    const { uid } = identityOf(request);
    const { path, row } = await this.find(uid, id);
    const href = hrefOf(`/remote.php/dav/files/${encodeURIComponent(uid)}`, path, row.kind === 'folder');
    // Clients that open private links themselves read the second one, whatever pages the first leads to.
    return new RedirectReply(href, { 'webdav-location': href });
  }

  /** @throws TreeFailure `not-found` */
  private async find(uid: string, id: string): Promise<VisibleNode> {
    const node = NODE_ID.test(id) ? await this.tree.locate(uid, Number(id)) : undefined;
    if (!node) throw new TreeFailure('not-found', 'The file could not be found');
    return node;
  }
}
