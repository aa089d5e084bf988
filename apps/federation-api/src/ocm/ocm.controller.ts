import { Controller, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import {
  ocmOfferTaken,
  ocmReshareGranted,
  OCM_TAKEN,
  parseBoundedJson,
  parseOcmNotice,
  parseOcmOffer,
  type OcmAnswer,
  type PartnerNotice,
} from '#federation/protocol';
import { Admission } from '../admission';
import { JsonReply } from '../json-reply';
import { TakeNotice } from '../notices/take-notice';
import { TakeOffer } from '../offers/take-offer';

/** Open Cloud Mesh: everything that was taken is answered with exactly 201. */
@Controller('ocm')
export class OcmController {
  constructor(
    private readonly admission: Admission,
    private readonly offers: TakeOffer,
    private readonly notices: TakeNotice,
  ) {}

  @Post('shares')
  async offer(@Req() request: FastifyRequest): Promise<JsonReply> {
    const { recipientDisplayName } = await this.admission.hear(request.ip, () =>
      this.offers.take(() => parseOcmOffer(bodyOf(request))),
    );
    return replyOf(ocmOfferTaken(recipientDisplayName));
  }

  @Post('notifications')
  async notice(@Req() request: FastifyRequest): Promise<JsonReply> {
    const read = (): PartnerNotice => parseOcmNotice(bodyOf(request));
    const grant = await this.admission.hearAbout(request.ip, read, (notice) => this.notices.take(notice));
    return replyOf(grant ? ocmReshareGranted(grant) : OCM_TAKEN);
  }
}

/** The media type is not looked at: what counts is whether it reads as JSON. */
function bodyOf(request: FastifyRequest): unknown {
  return Buffer.isBuffer(request.body) ? parseBoundedJson(request.body.toString('utf8')) : undefined;
}

const replyOf = ({ status, body }: OcmAnswer): JsonReply => new JsonReply(status, body);
