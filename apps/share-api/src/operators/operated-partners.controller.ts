import { Controller, Get, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { assertAdministrator, OcsFailure, OcsGuard, OcsInput, ocsPaths, ok, type OcsReply } from '#ocs/http';
import { text, type InputOf } from '#ocs/protocol';
import { Describe } from '#platform';
import { OperatedDeliveries } from './operated-deliveries';

const PAGE = 100;
const MAX_HOST = 512;
const LIST = { after: text(`Host of the last partner that is known; ${PAGE} follow behind it.`) };

/** Partners, and how it goes with them; for administrators. */
@Controller(ocsPaths('apps/drawbridge/api/v1/partners'))
@UseGuards(OcsGuard)
export class OperatedPartnersController {
  constructor(private readonly deliveries: OperatedDeliveries) {}

  @Get()
  @Describe(
    'Lists partners by host, with their trust, their breakers and what waits for them; for administrators.',
  )
  async list(
    @Req() request: FastifyRequest,
    @OcsInput(LIST) { after = '' }: InputOf<typeof LIST>,
  ): Promise<OcsReply> {
    assertAdministrator(request);
    if (after.length > MAX_HOST) throw new OcsFailure(400, 'after is too long');
    return ok(await this.deliveries.partners(after, PAGE));
  }
}
