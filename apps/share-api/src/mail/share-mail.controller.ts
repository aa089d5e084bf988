import { Controller, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { identityOf } from '#identity';
import { ocsPaths, OcsGuard, OcsReply, ok, parametersOf } from '#ocs/http';
import { ShareMail, type ShareNoticeWish } from './share-mail';
import { undeliverableTo } from './share-mail-failures';

/** What deployed servers answer to `send`: version 1 calls it a failure, and clients look at `status`. */
const SEND_CODE = 200;
const NO_SHARE_TYPE = -1;
const MAX_NAME = 64;

/** Telling people of shares by mail. */
@Controller(ocsPaths('apps/files_sharing/api/v1/notification'))
@UseGuards(OcsGuard)
export class ShareMailController {
  constructor(private readonly mail: ShareMail) {}

  @Post('send')
  async send(@Req() request: FastifyRequest): Promise<OcsReply> {
    const unreachable = await this.mail.notifyRecipients(identityOf(request), wishOf(request));
    return unreachable.length === 0
      ? new OcsReply(SEND_CODE, null, { status: 'success' })
      : new OcsReply(SEND_CODE, undeliverableTo(unreachable), { status: 'error' });
  }

  @Post('marksent')
  async markSent(@Req() request: FastifyRequest): Promise<OcsReply> {
    await this.mail.markNotified(identityOf(request), wishOf(request));
    return ok({ status: 'success' });
  }

  @Post('notify-public-link-by-email')
  async mailLink(@Req() request: FastifyRequest): Promise<OcsReply> {
    const parameters = parametersOf(request);
    await this.mail.mailLink(identityOf(request), {
      link: parameters.text('link') ?? '',
      addresses: parameters.texts('recipients').map((address) => address.trim()),
      note: parameters.text('personalNote') ?? '',
    });
    return ok();
  }
}

function wishOf(request: FastifyRequest): ShareNoticeWish {
  const parameters = parametersOf(request);
  return {
    nodeId: parameters.integer('itemSource') ?? 0,
    shareType: parameters.integer('shareType') ?? NO_SHARE_TYPE,
    recipient: (parameters.text('recipient') ?? '').slice(0, MAX_NAME),
  };
}
