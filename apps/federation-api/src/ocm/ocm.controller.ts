import { Controller, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import {
  ocmOfferTaken,
  ocmReshareGranted,
  OCM_NOTICE,
  OCM_OFFER,
  OCM_TAKEN,
  parseBoundedJson,
  parseOcmNotice,
  parseOcmOffer,
  parseShareRequest,
  REQUESTED_SHARE,
  type OcmAnswer,
  type PartnerNotice,
} from '#federation/protocol';
import { Describe } from '#platform';
import { Admission } from '../admission';
import { JsonReply } from '../json-reply';
import { InboundMessages } from '../inbound/inbound-messages';
import { TakeShareRequest } from './take-share-request';
import { SenderProof } from '../signatures/sender-proof';

/** Open Cloud Mesh: every accepted call is answered with exactly 201. */
@Controller('ocm')
export class OcmController {
  constructor(
    private readonly admission: Admission,
    private readonly messages: InboundMessages,
    private readonly requests: TakeShareRequest,
    private readonly proof: SenderProof,
  ) {}

  @Post('shares')
  @Describe('Receives the offer of a share.', { body: OCM_OFFER, answers: { 201: 'Received' } })
  async offer(@Req() request: FastifyRequest): Promise<JsonReply> {
    const { recipientDisplayName } = await this.admission.hear(request.ip, () =>
      this.messages.takeOffer(
        () => parseOcmOffer(bodyOf(request), new Date()),
        (host, known) => this.proof.of(request, host, 'asked', known),
      ),
    );
    return replyOf(ocmOfferTaken(recipientDisplayName));
  }

  @Post('notifications')
  @Describe('Receives a notification about a share.', {
    body: OCM_NOTICE,
    answers: { 201: 'Received' },
  })
  async notice(@Req() request: FastifyRequest): Promise<JsonReply> {
    const read = (): PartnerNotice => parseOcmNotice(bodyOf(request));
    const grant = await this.admission.admitAboutShare(request.ip, read, (notice) =>
      this.messages.takeNotice(notice, this.proof.check(request)),
    );
    return replyOf(grant ? ocmReshareGranted(grant) : OCM_TAKEN);
  }

  @Post('request-share')
  @Describe('Receives the request of a person at a partner for a share with them.', {
    body: REQUESTED_SHARE,
    answers: { 201: 'Received' },
  })
  async requested(@Req() request: FastifyRequest): Promise<JsonReply> {
    await this.admission.hear(request.ip, () =>
      this.requests.take(parseShareRequest(bodyOf(request)), (host) => this.proof.of(request, host, 'asked')),
    );
    return replyOf(OCM_TAKEN);
  }
}

/** The media type is not checked: the body only has to be JSON. */
function bodyOf(request: FastifyRequest): unknown {
  return Buffer.isBuffer(request.body) ? parseBoundedJson(request.body.toString('utf8')) : undefined;
}

const replyOf = ({ status, body }: OcmAnswer): JsonReply => new JsonReply(status, body);
