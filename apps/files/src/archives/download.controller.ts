import { Controller, Get, HttpCode, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequireScope, identityOf } from '#identity';
import { EdgeReply } from '#platform';
import { assertInService, CachedPolicy } from '#settings';
import { NodeTree, parsePath, parseName, pathOf, userView, type NodePath } from '#storage';
import { ContentReplies } from '../dav/content-replies';
import { archiveWantedBy } from './archive-request';
import { ArchiveReplies } from './archive-replies';
import { ChosenDownloadGuard } from './chosen-download.guard';

/** Name of the cookie with which a page notices that its download has begun. */
const START_SECRET = /^[a-zA-Z0-9]{1,32}$/;
const COOKIE_SECONDS = 20;

/** The address for downloads of ownCloud's web clients: one file as it is, a folder or several entries of it as an archive. */
@Controller(['apps/files/ajax/download.php', 'index.php/apps/files/ajax/download.php'])
@RequireScope('files')
@UseGuards(ChosenDownloadGuard)
export class DownloadController {
  constructor(
    private readonly tree: NodeTree,
    private readonly contents: ContentReplies,
    private readonly archives: ArchiveReplies,
    private readonly policy: CachedPolicy,
  ) {}

  /** @throws TreeFailure, DavFailure, Unavailable */
  @Get()
  async download(@Req() request: FastifyRequest): Promise<EdgeReply> {
    await assertInService(this.policy);
    return new StartedDownload(await this.replyTo(request), request.query as Record<string, unknown>);
  }

  /** The same for the form of our own page, which sends the names of the chosen entries in its body. */
  @Post()
  @HttpCode(200)
  downloadChosen(@Req() request: FastifyRequest): Promise<EdgeReply> {
    return this.download(request);
  }

  private async replyTo(request: FastifyRequest): Promise<EdgeReply> {
    const view = userView(identityOf(request).uid);
    const { format, chosen } = archiveWantedBy(request);
    const folder = await this.tree.spell(view, parsePath(textOf((request.query as { dir?: unknown }).dir)));
    if (chosen.length !== 1)
      return this.archives.reply(request, view, await this.tree.stat(view, folder), { format, chosen });
    const path = await this.tree.spell(view, pathOf([...namesOf(folder), parseName(chosen[0]!)]));
    const node = await this.tree.stat(view, path);
    if (node.row.kind === 'file') return this.contents.reply(request, view, path);
    return this.archives.reply(request, view, node, { format, chosen: [] });
  }
}

/** A reply that tells the requesting page that it has begun. */
class StartedDownload extends EdgeReply {
  constructor(
    private readonly reply: EdgeReply,
    private readonly query: Readonly<Record<string, unknown>>,
  ) {
    super();
  }

  write(reply: FastifyReply): void {
    const secret = textOf(this.query.downloadStartSecret);
    if (START_SECRET.test(secret))
      reply.header(
        'set-cookie',
        `ocDownloadStarted=${secret}; Max-Age=${COOKIE_SECONDS}; Path=/; SameSite=Lax`,
      );
    this.reply.write(reply);
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const namesOf = (path: NodePath): string[] => path.split('/').filter((name) => name !== '');
