import { Controller, Delete, Get, Param, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { RequireScope, identityOf } from '#identity';
import { ocsPaths, OcsFailure, OcsGuard, ok, type OcsReply } from '#ocs/http';
import { languageOf } from '#pages';
import { parseNotificationNumber } from './notification-id';
import { Describe } from '#platform';
import { UserNotifications } from './user-notifications';

/** Notifications of the caller, in the first language of their client that the pages have. */
@Controller(ocsPaths('apps/notifications/api/v1/notifications'))
@RequireScope('sharing')
@UseGuards(OcsGuard)
export class NotificationsController {
  constructor(private readonly notifications: UserNotifications) {}

  @Get()
  @Describe('Lists the notifications of the caller.')
  async list(@Req() request: FastifyRequest): Promise<OcsReply> {
    return ok(await this.notifications.list(identityOf(request), languageOf(request.headers)));
  }

  @Get(':id')
  @Describe('Reads a notification.')
  async read(@Req() request: FastifyRequest, @Param('id') id: string): Promise<OcsReply> {
    const reference = parseNotificationNumber(id);
    const language = languageOf(request.headers);
    const record = reference && (await this.notifications.find(identityOf(request), reference, language));
    if (!record) throw new OcsFailure(404, null);
    return ok(record);
  }

  /** Succeeds whether or not there was one. */
  @Delete(':id')
  @Describe('Removes a notification.')
  async remove(@Req() request: FastifyRequest, @Param('id') id: string): Promise<OcsReply> {
    const reference = parseNotificationNumber(id);
    if (reference) await this.notifications.remove(identityOf(request), reference);
    return ok();
  }
}
