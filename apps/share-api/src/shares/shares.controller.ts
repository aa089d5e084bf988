import { Controller, Delete, Get, Param, Post, Put, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { RequireScope, identityOf, strengthOf } from '#identity';
import { OcsInput, ocsPaths, OcsGuard, ok, parametersOf, type OcsReply } from '#ocs/http';
import { integer, text, type InputOf } from '#ocs/protocol';
import { Describe } from '#platform';
import {
  acceptShare,
  createShare,
  declineShare,
  deleteShare,
  readShare,
  updateShare,
  type Caller,
} from '#sharing';
import { RefusedAttempts } from '../audit/refused-attempts';
import { GroupShareMembers, memberRecord } from './group-share-members';
import { sharingFailure } from './share-failures';
import { ShareLists } from './share-lists';
import {
  CREATE_SHARE,
  createCommandOf,
  LIST_SHARES,
  listCommandOf,
  parseShareId,
  UPDATE_SHARE,
  updateCommandOf,
} from './share-parameters';
import { SharePresenter } from './share-presenter';
import { ServerSharingPorts } from './sharing-adapters';

const LISTED_MEMBERS = 100;
const MOST_MEMBERS = 1000;
const MEMBERS = {
  after: text('Id of the last member of the page before.'),
  limit: integer('Maximum number of members.'),
};

/** The share calls. `shares/pending` is another name of `shares`, except for POST and DELETE of one id. */
@Controller(ocsPaths('apps/files_sharing/api/v1/shares'))
@RequireScope('sharing')
@UseGuards(OcsGuard)
export class SharesController {
  constructor(
    private readonly ports: ServerSharingPorts,
    private readonly presenter: SharePresenter,
    private readonly lists: ShareLists,
    private readonly members: GroupShareMembers,
    private readonly refused: RefusedAttempts,
  ) {}

  @Get(['', 'pending'])
  @Describe('Lists the shares that the caller made, or those that they received.')
  async list(
    @Req() request: FastifyRequest,
    @OcsInput(LIST_SHARES) input: InputOf<typeof LIST_SHARES>,
  ): Promise<OcsReply> {
    return this.lists.answer(identityOf(request), listCommandOf(input), input.include_tags);
  }

  @Post(['', 'pending'])
  @Describe('Shares a file or folder.')
  async create(
    @Req() request: FastifyRequest,
    @OcsInput(CREATE_SHARE) input: InputOf<typeof CREATE_SHARE>,
  ): Promise<OcsReply> {
    const command = createCommandOf(input, this.ports.compatibility);
    const create = () => createShare(this.ports, callerOf(request), command);
    return this.presenter.one(await this.refused.watch('share.create', null, create));
  }

  @Get([':id', 'pending/:id'])
  @Describe('Reads a share.')
  async read(@Req() request: FastifyRequest, @Param('id') id: string): Promise<OcsReply> {
    const view = await readShare(this.ports, identityOf(request), parseShareId(id));
    return this.presenter.read(view, await this.members.shownOf(view, identityOf(request)));
  }

  @Get(':id/remote_members')
  @Describe(
    'Lists the answers of remote members to a share with their group, in the order of their ids; for those who manage the share.',
  )
  async remoteMembers(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @OcsInput(MEMBERS) { after = '', limit = LISTED_MEMBERS }: InputOf<typeof MEMBERS>,
  ): Promise<OcsReply> {
    const caller = identityOf(request);
    const view = await readShare(this.ports, caller, parseShareId(id));
    const atMost = Math.min(Math.max(limit, 1), MOST_MEMBERS);
    return ok((await this.members.list(view, caller, after, atMost)).map(memberRecord));
  }

  @Put([':id', 'pending/:id'])
  @Describe(
    'Changes a share. At least one parameter is required; with COMPATIBILITY=documented at most one, and attributes.',
  )
  async update(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @OcsInput(UPDATE_SHARE) input: InputOf<typeof UPDATE_SHARE>,
  ): Promise<OcsReply> {
    const { compatibility } = this.ports;
    const command = updateCommandOf(parseShareId(id), input, parametersOf(request), compatibility);
    try {
      const update = () => updateShare(this.ports, callerOf(request), command);
      return await this.presenter.one(await this.refused.watch('share.update', command.id, update));
    } catch (error) {
      throw sharingFailure(error, true) ?? error;
    }
  }

  @Delete(':id')
  @Describe('Ends a share, or leaves one.')
  async remove(@Req() request: FastifyRequest, @Param('id') id: string): Promise<OcsReply> {
    const shareId = parseShareId(id);
    const remove = () => deleteShare(this.ports, identityOf(request), shareId);
    await this.refused.watch('share.delete', shareId, remove);
    return ok();
  }

  @Post('pending/:id')
  @Describe('Accepts a share with the caller.')
  async accept(@Req() request: FastifyRequest, @Param('id') id: string): Promise<OcsReply> {
    const shareId = parseShareId(id);
    const accept = () => acceptShare(this.ports, identityOf(request), shareId);
    return this.presenter.list([await this.refused.watch('share.accept', shareId, accept)]);
  }

  @Delete('pending/:id')
  @Describe('Declines a share with the caller.')
  async decline(@Req() request: FastifyRequest, @Param('id') id: string): Promise<OcsReply> {
    const shareId = parseShareId(id);
    const decline = () => declineShare(this.ports, identityOf(request), shareId);
    const view = await this.refused.watch('share.decline', shareId, decline);
    return view ? this.presenter.list([view]) : ok();
  }
}

const callerOf = (request: FastifyRequest): Caller => ({
  ...identityOf(request),
  secondFactor: strengthOf(request) === 'two_factors',
});
