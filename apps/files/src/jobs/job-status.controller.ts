import { Controller, Get, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { RequireScope, identityOf } from '#identity';
import { pathOfTarget } from '#platform';
import { DavFailure, decodeSegment } from '#storage';
import { isOwnTree } from '../dav/dav-call';
import { DavReply } from '../dav/dav-reply';
import { SignedInGuard } from '../dav/signed-in.guard';
import { BackgroundMoves } from './background-moves';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const DEPTH_OF_USER = 3;

/** Returns the state of background moves to clients. */
@Controller()
@RequireScope('files')
@UseGuards(SignedInGuard)
export class JobStatusController {
  constructor(private readonly moves: BackgroundMoves) {}

  @Get('remote.php/dav/job-status/*')
  async get(@Req() request: FastifyRequest): Promise<DavReply> {
    const { uid } = identityOf(request);
    const segments = pathOfTarget(request.url).split('/').filter(Boolean).slice(DEPTH_OF_USER);
    const [owner = '', id = '', more] = segments.map(decodeSegment);
    const isOwn = isOwnTree({ of: 'user', uid: owner }, uid);
    const state =
      isOwn && UUID.test(id) && more === undefined ? await this.moves.stateOf(uid, id) : undefined;
    if (!state) throw new DavFailure('not-found', 'There is no such job');
    return new DavReply(
      200,
      { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
      JSON.stringify(state),
    );
  }
}
