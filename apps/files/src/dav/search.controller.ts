import { Controller, Req, Search, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { RequireScope, identityOf } from '#identity';
import {
  DavFailure,
  NodeTree,
  parseDavBase,
  parseSearch,
  pathBelow,
  userView,
  type SearchRequest,
} from '#storage';
import { DavAccessGuard } from './dav-access.guard';
import { callOf, directoryOf, isOwnTree, readXmlBody, type DavCall } from './dav-call';
import type { DavReply } from './dav-reply';
import { DAV_ROUTES } from './dav-routes';
import { TreeSearch } from './tree-search';

/** Common address of all trees, to which Nextcloud's clients send searches. */
const ALL_TREES = '/remote.php/dav';

/** Searches of users in their own files: ownCloud's reports, and DASL. */
@Controller()
@RequireScope('files')
@UseGuards(DavAccessGuard)
export class SearchController {
  constructor(
    private readonly searches: TreeSearch,
    private readonly tree: NodeTree,
  ) {}

  @Search(DAV_ROUTES)
  async search(@Req() request: FastifyRequest): Promise<DavReply> {
    const asked = parseSearch(await readXmlBody(request));
    const call = directoryOf(request) ? await this.inScope(request, asked) : callOf(request);
    return this.searches.answer(request, call, asked);
  }

  /** The folder in the body; the user's root if there is none. @throws DavFailure */
  private async inScope(
    request: FastifyRequest,
    { scope }: SearchRequest,
  ): Promise<Pick<DavCall, 'view' | 'base' | 'path' | 'uid' | 'shared'>> {
    const { uid } = identityOf(request);
    const start = parseDavBase(`${ALL_TREES}${scope ?? `/files/${encodeURIComponent(uid)}`}`);
    if (!isOwnTree(start.tree, uid)) throw new DavFailure('forbidden', 'Only your own files are searched');
    const view = userView(uid);
    const path = await this.tree.spell(view, pathBelow(start));
    return { view, base: start.base, path, uid, shared: undefined };
  }
}
