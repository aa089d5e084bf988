import { Controller, Param, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Prove } from '#federation/exchange';
import {
  LEGACY_ACTIONS,
  LEGACY_NOTICE,
  LEGACY_OFFER,
  legacyReshareGranted,
  parseLegacyNotice,
  parseLegacyOffer,
  type PartnerNotice,
} from '#federation/protocol';
import { ocsPaths } from '#ocs/http';
import { Describe, type EdgeReply } from '#platform';
import { Admission } from '../admission';
import { InboundMessages } from '../inbound/inbound-messages';
import { SenderProof } from '../signatures/sender-proof';
import { LegacyAnswers } from './legacy-answers';
import { legacyActionOf, legacyForm } from './legacy-form';

const FORM = 'application/x-www-form-urlencoded';

/** Federation before Open Cloud Mesh: forms, answered with OCS envelopes. Callers do not sign in; a secret identifies the share. */
@Controller(ocsPaths('cloud/shares'))
export class LegacySharesController {
  constructor(
    private readonly admission: Admission,
    private readonly messages: InboundMessages,
    private readonly answers: LegacyAnswers,
    private readonly proof: SenderProof,
  ) {}

  @Post()
  @Describe('Receives the offer of a share in the legacy dialect, from before Open Cloud Mesh.', {
    body: LEGACY_OFFER,
    bodyType: FORM,
  })
  offer(@Req() request: FastifyRequest): Promise<EdgeReply> {
    return this.answers.answer(request, undefined, async () => {
      const read = () => parseLegacyOffer(legacyForm(request));
      const prove: Prove = (host, known) => this.proof.of(request, host, 'legacy', known);
      await this.admission.hear(request.ip, () => this.messages.takeOffer(read, prove));
      return undefined;
    });
  }

  @Post(LEGACY_ACTIONS.map((action) => `:id/${action}`))
  @Describe('Receives a notification about a share in the legacy dialect.', {
    body: LEGACY_NOTICE,
    bodyType: FORM,
  })
  notice(@Req() request: FastifyRequest, @Param('id') id: string): Promise<EdgeReply> {
    const action = legacyActionOf(request);
    return this.answers.answer(request, action, async () => {
      const read = (): PartnerNotice => parseLegacyNotice(action, id, legacyForm(request));
      const grant = await this.admission.admitAboutShare(request.ip, read, (notice) =>
        this.messages.takeNotice(notice, this.proof.check(request, 'legacy')),
      );
      return grant && legacyReshareGranted(grant);
    });
  }
}
