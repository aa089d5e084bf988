import {
  Controller,
  Get,
  NotAcceptableException,
  Req,
  ServiceUnavailableException,
  UseGuards,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AccountGuard, RequireScope, identityOf, sessionOf, StandingSignIns } from '#identity';
import { Describe, type EdgeReply } from '#platform';
import { assertInService, CachedPolicy } from '#settings';
import { PushChanges } from './push-changes';
import { PushHub } from './push-hub';
import { PushStream } from './push-stream';

/** Events for the pages of the signed-in person. */
@Controller('web')
@RequireScope('sign-in')
@UseGuards(AccountGuard)
export class PushController {
  constructor(
    private readonly hub: PushHub,
    private readonly changes: PushChanges,
    private readonly signIns: StandingSignIns,
    private readonly policy: CachedPolicy,
  ) {}

  @Get('events')
  @Describe('Tells the pages of the account what changed, as Server-Sent Events.')
  async events(@Req() request: FastifyRequest): Promise<EdgeReply> {
    if (!/\btext\/event-stream\b/.test(request.headers.accept ?? '')) throw new NotAcceptableException();
    await assertInService(this.policy);
    const isByPassword = /^basic /i.test(request.headers.authorization ?? '');
    const signIn = this.signIns.of(identityOf(request), { session: sessionOf(request), isByPassword });
    await this.changes.begin();
    const stream = new PushStream();
    const connection = this.hub.add(signIn, stream);
    if (!connection) throw new ServiceUnavailableException();
    stream.whenClosed(() => this.hub.remove(connection));
    return stream;
  }
}
