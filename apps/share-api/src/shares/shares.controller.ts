import { Controller, Delete, Get, Param, Post, Put, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { identityOf } from '#identity';
import { ocsPaths, OcsGuard, ok, parametersOf, type OcsReply } from '#ocs/http';
import { acceptShare, createShare, declineShare, deleteShare, readShare, updateShare } from '#sharing';
import { sharingFailure } from './share-failures';
import { ShareLists } from './share-lists';
import { createCommandOf, listCommandOf, parseShareId, updateCommandOf, wantsTags } from './share-parameters';
import { SharePresenter } from './share-presenter';
import { ServerSharingPorts } from './sharing-adapters';

/** The share calls. `shares/pending` is another name of `shares`, but for POST and DELETE of one id. */
@Controller(ocsPaths('apps/files_sharing/api/v1/shares'))
@UseGuards(OcsGuard)
export class SharesController {
  constructor(
    private readonly ports: ServerSharingPorts,
    private readonly presenter: SharePresenter,
    private readonly lists: ShareLists,
  ) {}

  @Get(['', 'pending'])
  async list(@Req() request: FastifyRequest): Promise<OcsReply> {
    const parameters = parametersOf(request);
    return this.lists.answer(identityOf(request), listCommandOf(parameters), wantsTags(parameters));
  }

  @Post(['', 'pending'])
  async create(@Req() request: FastifyRequest): Promise<OcsReply> {
    return this.presenter.one(
      await createShare(this.ports, identityOf(request), createCommandOf(parametersOf(request))),
    );
  }

  @Get([':id', 'pending/:id'])
  async read(@Req() request: FastifyRequest, @Param('id') id: string): Promise<OcsReply> {
    return this.presenter.list([await readShare(this.ports, identityOf(request), parseShareId(id))]);
  }

  @Put([':id', 'pending/:id'])
  async update(@Req() request: FastifyRequest, @Param('id') id: string): Promise<OcsReply> {
    const command = updateCommandOf(parseShareId(id), parametersOf(request));
    try {
      return await this.presenter.one(await updateShare(this.ports, identityOf(request), command));
    } catch (error) {
      throw sharingFailure(error, true) ?? error;
    }
  }

  @Delete(':id')
  async remove(@Req() request: FastifyRequest, @Param('id') id: string): Promise<OcsReply> {
    await deleteShare(this.ports, identityOf(request), parseShareId(id));
    return ok();
  }

  @Post('pending/:id')
  async accept(@Req() request: FastifyRequest, @Param('id') id: string): Promise<OcsReply> {
    return this.presenter.list([await acceptShare(this.ports, identityOf(request), parseShareId(id))]);
  }

  @Delete('pending/:id')
  async decline(@Req() request: FastifyRequest, @Param('id') id: string): Promise<OcsReply> {
    const view = await declineShare(this.ports, identityOf(request), parseShareId(id));
    return view ? this.presenter.list([view]) : ok();
  }
}
