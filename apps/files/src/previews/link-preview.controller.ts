import { Controller, Get, Param, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AuthenticationFailed } from '#identity';
import type { EdgeReply } from '#platform';
import { assertInService, CachedPolicy } from '#settings';
import { childOf, NodeTree, parseDavBase, parsePath, ROOT, TreeFailure } from '#storage';
import { headerOf } from '../dav/dav-call';
import { LinkTokenAccess } from '../links/link-token-access';
import { Previews } from './previews';

/** Previews of files in public links, at the addresses of deployed servers. */
@Controller('index.php/apps/files_sharing')
export class LinkPreviewController {
  constructor(
    private readonly links: LinkTokenAccess,
    private readonly tree: NodeTree,
    private readonly previews: Previews,
    private readonly policy: CachedPolicy,
  ) {}

  @Get('publicpreview/:token')
  byToken(@Req() request: FastifyRequest, @Param('token') token: string): Promise<EdgeReply> {
    return this.reply(request, token);
  }

  @Get('ajax/publicpreview')
  byParameter(@Req() request: FastifyRequest): Promise<EdgeReply> {
    const { t } = request.query as { t?: unknown };
    return this.reply(request, typeof t === 'string' ? t : '');
  }

  /** @throws AuthenticationFailed for a wrong password of the link; DavFailure, TreeFailure */
  private async reply(request: FastifyRequest, token: string): Promise<EdgeReply> {
    await assertInService(this.policy);
    const authorization = headerOf(request, 'authorization');
    const access = this.links.authorizeByPath(
      {
        start: parseDavBase(`/remote.php/dav/public-files/${encodeURIComponent(token) || '-'}`),
        method: request.method,
        authorization,
        userAgent: headerOf(request, 'user-agent'),
        query: request.query as Record<string, unknown>,
        uploadSignature: undefined,
        continuesUpload: false,
        isByScript: false,
        cookies: headerOf(request, 'cookie'),
        address: request.ip,
      },
      token,
    );
    const { view } = await access.catch((error: unknown) => {
      // For an image in a page, a browser would open its own dialogue.
      const isAsked = error instanceof AuthenticationFailed && authorization === undefined;
      throw isAsked && error.reason === 'missing' ? notShown() : error;
    });
    const { file } = request.query as { file?: unknown };
    const path = await this.tree.spell(view, parsePath(typeof file === 'string' ? file : ''));
    const node = await this.tree.stat(view, path);
    // The folder that is shown around a shared file.
    const shown = node.onlyFile ? childOf(ROOT, node.onlyFile.name) : path;
    return this.previews.reply(request, view, shown);
  }
}

const notShown = (): TreeFailure => new TreeFailure('not-found', 'There is no preview without the password');
