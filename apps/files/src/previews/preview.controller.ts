import { Controller, Get, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DownloadGuard, RequireScope, identityOf } from '#identity';
import type { EdgeReply } from '#platform';
import { assertInService, CachedPolicy } from '#settings';
import { NodeTree, parsePath, TreeFailure, userView } from '#storage';
import { Previews } from './previews';

const NODE_ID = /^[1-9]\d{0,14}$/;

/** Previews by the id or the path of a file, as clients of Nextcloud request them. */
@Controller('index.php/core')
@RequireScope('files')
@UseGuards(DownloadGuard)
export class PreviewController {
  constructor(
    private readonly tree: NodeTree,
    private readonly previews: Previews,
    private readonly policy: CachedPolicy,
  ) {}

  @Get('preview')
  async byId(@Req() request: FastifyRequest): Promise<EdgeReply> {
    await assertInService(this.policy);
    const { uid } = identityOf(request);
    const { fileId } = request.query as { fileId?: unknown };
    const isId = typeof fileId === 'string' && NODE_ID.test(fileId);
    const node = isId ? await this.tree.locate(uid, Number(fileId)) : undefined;
    if (!node) throw new TreeFailure('not-found', 'The file could not be found');
    return this.previews.reply(request, userView(uid), node.path);
  }

  @Get('preview.png')
  async byPath(@Req() request: FastifyRequest): Promise<EdgeReply> {
    await assertInService(this.policy);
    const view = userView(identityOf(request).uid);
    const { file } = request.query as { file?: unknown };
    const path = await this.tree.spell(view, parsePath(typeof file === 'string' ? file : ''));
    return this.previews.reply(request, view, path);
  }
}
