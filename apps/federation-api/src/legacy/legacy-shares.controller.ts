import { Controller, Param, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import {
  LEGACY_ACTIONS,
  legacyReshareGranted,
  parseLegacyNotice,
  parseLegacyOffer,
  type PartnerNotice,
} from '#federation/protocol';
import { ocsPaths } from '#ocs/http';
import type { EdgeReply } from '#platform';
import { Admission } from '../admission';
import { TakeNotice } from '../notices/take-notice';
import { TakeOffer } from '../offers/take-offer';
import { LegacyAnswers } from './legacy-answers';
import { legacyActionOf, legacyForm } from './legacy-form';

/** Federation before Open Cloud Mesh: forms, answered by OCS envelopes. Nobody signs in here; a secret names the share. */
@Controller(ocsPaths('cloud/shares'))
export class LegacySharesController {
  constructor(
    private readonly admission: Admission,
    private readonly offers: TakeOffer,
    private readonly notices: TakeNotice,
    private readonly answers: LegacyAnswers,
  ) {}

  @Post()
  offer(@Req() request: FastifyRequest): Promise<EdgeReply> {
    return this.answers.answer(request, undefined, async () => {
      const take = () => this.offers.take(() => parseLegacyOffer(legacyForm(request)));
      await this.admission.hear(request.ip, take);
      return undefined;
    });
  }

  @Post(LEGACY_ACTIONS.map((action) => `:id/${action}`))
  notice(@Req() request: FastifyRequest, @Param('id') id: string): Promise<EdgeReply> {
    const action = legacyActionOf(request);
    return this.answers.answer(request, action, async () => {
      const read = (): PartnerNotice => parseLegacyNotice(action, id, legacyForm(request));
      const grant = await this.admission.hearAbout(request.ip, read, (notice) => this.notices.take(notice));
      return grant && legacyReshareGranted(grant);
    });
  }
}
