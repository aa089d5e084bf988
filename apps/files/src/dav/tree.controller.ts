import { Controller, Copy, Delete, Mkcol, Move, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { RequireScope } from '#identity';
import { announcesBody } from '#platform';
import {
  DavFailure,
  NodeProperties,
  NodeTree,
  parseOverwrite,
  parseTreeDepth,
  TreeCopier,
  TreeMover,
  TreeWriter,
  type MoveResult,
} from '#storage';
import { BackgroundMoves } from '../jobs/background-moves';
import { assertConditions, conditionOf } from './conditions';
import { DavAccessGuard } from './dav-access.guard';
import { writtenHeaders } from './content-headers';
import { callOf, changeOf, headerOf, readDestination, type DavCall } from './dav-call';
import { created, noContent, type DavReply } from './dav-reply';
import { DAV_ROUTES } from './dav-routes';

@Controller()
@RequireScope('files')
@UseGuards(DavAccessGuard)
export class TreeController {
  constructor(
    private readonly writer: TreeWriter,
    private readonly mover: TreeMover,
    private readonly copier: TreeCopier,
    private readonly properties: NodeProperties,
    private readonly tree: NodeTree,
    private readonly background: BackgroundMoves,
  ) {}

  /**
   * In an upload-only link every folder counts as made: an upload makes the folders above it, and other answers would reveal which names
   * are taken. Clients make the folders first, and send no file after a refusal. Source: ocs-facts 12.
   */
  @Mkcol(DAV_ROUTES)
  async mkcol(@Req() request: FastifyRequest): Promise<DavReply> {
    const { view, path, shared } = callOf(request);
    if (announcesBody(request.raw)) throw new DavFailure('unsupported-media-type', 'MKCOL takes no body');
    if (shared?.isDrop) return created();
    const row = await this.writer.makeFolder(view, path);
    return created({ 'oc-fileid': await this.properties.fileId(row.id), 'oc-etag': `"${row.etag}"` });
  }

  @Delete(DAV_ROUTES)
  async delete(@Req() request: FastifyRequest): Promise<DavReply> {
    const call = changeOf(request);
    const isCurrent = conditionOf(request);
    await this.writer.remove(call.view, call.path, (existing) => {
      isCurrent(existing);
      if (existing?.row.kind === 'folder' && parseTreeDepth(headerOf(request, 'depth')) !== 'infinity')
        throw new DavFailure('bad-request', 'DELETE takes all below with it');
    });
    return noContent();
  }

  @Move(DAV_ROUTES)
  async move(@Req() request: FastifyRequest): Promise<DavReply> {
    const call = changeOf(request);
    const { view, path } = call;
    const destination = await this.tree.spell(view, readDestination(request));
    const overwrite = parseOverwrite(headerOf(request, 'overwrite'));
    const options = { overwrite, condition: conditionOf(request) };
    return this.background.answer(request, call.uid, {
      admit: () => this.mover.admitName(destination),
      move: async () => this.answer(call, await this.mover.move(view, path, destination, options)),
    });
  }

  @Copy(DAV_ROUTES)
  async copy(@Req() request: FastifyRequest): Promise<DavReply> {
    const call = callOf(request);
    const { view, path } = call;
    const destination = await this.tree.spell(view, readDestination(request));
    const overwrite = parseOverwrite(headerOf(request, 'overwrite'));
    const shallow = parseTreeDepth(headerOf(request, 'depth')) === 0;
    await assertConditions(request, () => this.tree.find(view, path));
    return this.answer(call, await this.copier.copy(view, path, destination, { overwrite, shallow }));
  }

  private async answer(call: DavCall, { replaced, node }: MoveResult): Promise<DavReply> {
    const headers = node && (await writtenHeaders(this.properties, call, node));
    return replaced ? noContent(headers) : created(headers);
  }
}
