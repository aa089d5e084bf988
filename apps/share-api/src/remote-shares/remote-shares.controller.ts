import { Controller, Delete, Get, Param, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { RequireScope, identityOf } from '#identity';
import { OcsInput, ocsPaths, OcsGuard, ok, type OcsReply } from '#ocs/http';
import { text, type InputOf } from '#ocs/protocol';
import { Describe } from '#platform';
import {
  acceptReceivedShare,
  declineReceivedShare,
  leaveReceivedShare,
  listAcceptedShares,
  listAllReceivedShares,
  listPendingShares,
  readReceivedShare,
} from '#sharing';
import { parseShareId } from '../shares/share-parameters';
import { RemoteSharePorts } from './remote-share-adapters';
import { remoteShareRecord } from './remote-share-record';

const END = { reason: text('Reason for the owner, at most 500 characters.') };

/** A share of the `pending` list; ownCloud's web client omits the last slash of its address. */
const PENDING = ['pending/:id', 'pending:id(^\\d+$)'];

/** Calls about shares from other servers. No switch turns them off, so received shares can always be managed. */
@Controller(ocsPaths('apps/files_sharing/api/v1/remote_shares'))
@RequireScope('sharing')
@UseGuards(OcsGuard)
export class RemoteSharesController {
  constructor(private readonly ports: RemoteSharePorts) {}

  @Get()
  @Describe('Lists the shares of other servers that the caller accepted.')
  async accepted(@Req() request: FastifyRequest): Promise<OcsReply> {
    return ok((await listAcceptedShares(this.ports, identityOf(request).uid)).map(remoteShareRecord));
  }

  @Get('pending')
  @Describe('Lists the pending shares of other servers with the caller.')
  async pending(@Req() request: FastifyRequest): Promise<OcsReply> {
    return ok((await listPendingShares(this.ports, identityOf(request).uid)).map(remoteShareRecord));
  }

  @Get('all')
  @Describe('Lists all shares of other servers with the caller.')
  async all(@Req() request: FastifyRequest): Promise<OcsReply> {
    return ok((await listAllReceivedShares(this.ports, identityOf(request).uid)).map(remoteShareRecord));
  }

  @Get(':id')
  @Describe('Reads a share of another server.')
  async read(@Req() request: FastifyRequest, @Param('id') id: string): Promise<OcsReply> {
    return ok(
      remoteShareRecord(await readReceivedShare(this.ports, identityOf(request).uid, parseShareId(id))),
    );
  }

  @Post(PENDING)
  @Describe('Accepts a share of another server.')
  async accept(@Req() request: FastifyRequest, @Param('id') id: string): Promise<OcsReply> {
    const { mountPoint } = await acceptReceivedShare(this.ports, identityOf(request).uid, parseShareId(id));
    return ok([{ state: 0, file_target: mountPoint }]);
  }

  @Delete(PENDING)
  @Describe('Declines a share of another server.')
  async decline(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @OcsInput(END) { reason }: InputOf<typeof END>,
  ): Promise<OcsReply> {
    await declineReceivedShare(this.ports, identityOf(request).uid, parseShareId(id), reason);
    return ok();
  }

  @Delete(':id')
  @Describe('Leaves a share of another server.')
  async leave(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @OcsInput(END) { reason }: InputOf<typeof END>,
  ): Promise<OcsReply> {
    await leaveReceivedShare(this.ports, identityOf(request).uid, parseShareId(id), reason);
    return ok();
  }
}
