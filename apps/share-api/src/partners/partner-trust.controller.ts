import { Controller, Get, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { assertAdministrator, OcsInput, ocsPaths, OcsFailure, OcsGuard, ok, type OcsReply } from '#ocs/http';
import { needed, switched, text, type InputOf } from '#ocs/protocol';
import { Describe } from '#platform';
import { PARTNER_TRUSTS, SIGNATURE_DEMANDS, type SignatureDemand } from '#sharing';
import { PartnerTrustSettings, type TrustDirection } from './partner-trust-settings';

const DIRECTIONS: readonly TrustDirection[] = ['both', 'incoming', 'outgoing'];

const NAMED = { host: needed(text('Host of the partner, with its port and path if it has them.')) };
const REGARD = {
  ...NAMED,
  trust: needed(text('The trust.', { enum: PARTNER_TRUSTS })),
  direction: text('Direction of the shares that it applies to.', { enum: DIRECTIONS, default: 'both' }),
  signatures: text('The signatures that messages of the partner need; default follows the setting.', {
    enum: [...SIGNATURE_DEMANDS, 'default'],
  }),
  handshake: switched('With trusted: whether the servers agree on a common secret.'),
};

/** Trust in partners; for administrators. The host is a parameter, because it may contain a port and a path. */
@Controller(ocsPaths('apps/federation/api/v1/partners'))
@UseGuards(OcsGuard)
export class PartnerTrustController {
  constructor(private readonly partners: PartnerTrustSettings) {}

  @Get()
  @Describe('Reads the trust of a partner; for administrators.')
  async read(
    @Req() request: FastifyRequest,
    @OcsInput(NAMED) input: InputOf<typeof NAMED>,
  ): Promise<OcsReply> {
    assertAdministrator(request);
    return ok(await this.partners.find(hostOf(input)));
  }

  @Post()
  @Describe('Changes the trust of a partner; for administrators.')
  async write(
    @Req() request: FastifyRequest,
    @OcsInput(REGARD) input: InputOf<typeof REGARD>,
  ): Promise<OcsReply> {
    assertAdministrator(request);
    const trust = PARTNER_TRUSTS.find((known) => known === input.trust);
    if (!trust) throw new OcsFailure(400, `trust is one of ${PARTNER_TRUSTS.join(', ')}`);
    const asked = input.direction ?? 'both';
    const direction = DIRECTIONS.find((known) => known === asked);
    if (!direction) throw new OcsFailure(400, `direction is one of ${DIRECTIONS.join(', ')}`);
    const demand = demandIn(input.signatures);
    const withHandshake = input.handshake === true;
    if (withHandshake && (trust !== 'trusted' || direction === 'outgoing'))
      throw new OcsFailure(400, 'handshake goes with trusted only');
    const regarded = await this.partners.regard(hostOf(input), trust, direction, demand);
    if (withHandshake) await this.partners.beginHandshake(hostOf(input));
    return ok(regarded);
  }
}

/** @returns null if the setting decides, undefined to change nothing */
function demandIn(asked: string | undefined): SignatureDemand | null | undefined {
  if (asked === undefined) return undefined;
  const demand = asked === 'default' ? null : SIGNATURE_DEMANDS.find((known) => known === asked);
  if (demand === undefined)
    throw new OcsFailure(400, `signatures is one of ${SIGNATURE_DEMANDS.join(', ')}, default`);
  return demand;
}

function hostOf({ host }: InputOf<typeof NAMED>): string {
  if (!host) throw new OcsFailure(400, 'Please give a host');
  return host;
}
