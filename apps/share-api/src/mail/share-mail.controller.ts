import { Controller, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { RequireScope, identityOf } from '#identity';
import { OcsInput, ocsPaths, OcsGuard, OcsReply, ok } from '#ocs/http';
import { integer, text, texts, type InputOf } from '#ocs/protocol';
import { Describe } from '#platform';
import { ShareMail, type ShareNoticeWish } from './share-mail';
import { undeliverableTo } from './share-mail-failures';

/** Code with which deployed servers answer `send`: version 1 calls it a failure, and clients read `status`. */
const SEND_CODE = 200;
const NO_SHARE_TYPE = -1;
const MAX_NAME = 64;

const NOTIFY = {
  itemSource: integer('Id of the shared node.'),
  shareType: integer('0 a user, 1 a group.', { enum: [0, 1] }),
  recipient: text('User id or group id.'),
};
const MAIL_LINK = {
  link: text('Address of the public link.'),
  recipients: texts('Mail addresses.'),
  personalNote: text('Note of the sender in the mail.'),
};

/** Sends mails about shares. */
@Controller(ocsPaths('apps/files_sharing/api/v1/notification'))
@RequireScope('sharing')
@UseGuards(OcsGuard)
export class ShareMailController {
  constructor(private readonly mail: ShareMail) {}

  @Post('send')
  @Describe('Notifies the recipients of a share by mail.')
  async send(
    @Req() request: FastifyRequest,
    @OcsInput(NOTIFY) input: InputOf<typeof NOTIFY>,
  ): Promise<OcsReply> {
    const unreachable = await this.mail.notifyRecipients(identityOf(request), wishOf(input));
    return unreachable.length === 0
      ? new OcsReply(SEND_CODE, null, { status: 'success' })
      : new OcsReply(SEND_CODE, undeliverableTo(unreachable), { status: 'error' });
  }

  @Post('marksent')
  @Describe('Marks the recipients of a share as notified, and sends no mail.')
  async markSent(
    @Req() request: FastifyRequest,
    @OcsInput(NOTIFY) input: InputOf<typeof NOTIFY>,
  ): Promise<OcsReply> {
    await this.mail.markNotified(identityOf(request), wishOf(input));
    return ok({ status: 'success' });
  }

  @Post('notify-public-link-by-email')
  @Describe('Mails a public link of the caller.')
  async mailLink(
    @Req() request: FastifyRequest,
    @OcsInput(MAIL_LINK) { link = '', recipients, personalNote = '' }: InputOf<typeof MAIL_LINK>,
  ): Promise<OcsReply> {
    const addresses = recipients.map((address) => address.trim());
    await this.mail.mailLink(identityOf(request), { link, addresses, note: personalNote });
    return ok();
  }
}

function wishOf({ itemSource, shareType, recipient = '' }: InputOf<typeof NOTIFY>): ShareNoticeWish {
  return {
    nodeId: itemSource ?? 0,
    shareType: shareType ?? NO_SHARE_TYPE,
    recipient: recipient.slice(0, MAX_NAME),
  };
}
