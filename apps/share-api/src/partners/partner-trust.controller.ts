import { Controller, Get, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import {
  assertAdministrator,
  ocsPaths,
  OcsFailure,
  OcsGuard,
  ok,
  parametersOf,
  type OcsReply,
} from '#ocs/http';
import { PARTNER_TRUSTS } from '#sharing';
import { RegardedPartners, type RegardedDirection } from './regarded-partners';

const DIRECTIONS: readonly RegardedDirection[] = ['both', 'incoming', 'outgoing'];

/** How partners are regarded; for administrators. The host is a parameter: it may hold a port and a path. */
@Controller(ocsPaths('apps/federation/api/v1/partners'))
@UseGuards(OcsGuard)
export class PartnerTrustController {
  constructor(private readonly partners: RegardedPartners) {}

  @Get()
  async read(@Req() request: FastifyRequest): Promise<OcsReply> {
    assertAdministrator(request);
    return ok(await this.partners.find(hostOf(request)));
  }

  @Post()
  async write(@Req() request: FastifyRequest): Promise<OcsReply> {
    assertAdministrator(request);
    const parameters = parametersOf(request);
    const trust = PARTNER_TRUSTS.find((known) => known === parameters.text('trust'));
    if (!trust) throw new OcsFailure(400, `trust is one of ${PARTNER_TRUSTS.join(', ')}`);
    const asked = parameters.text('direction') ?? 'both';
    const direction = DIRECTIONS.find((known) => known === asked);
    if (!direction) throw new OcsFailure(400, `direction is one of ${DIRECTIONS.join(', ')}`);
    return ok(await this.partners.regard(hostOf(request), trust, direction));
  }
}

function hostOf(request: FastifyRequest): string {
  const host = parametersOf(request).text('host');
  if (!host) throw new OcsFailure(400, 'Please give a host');
  return host;
}
