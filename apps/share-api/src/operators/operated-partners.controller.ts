import { Controller, Delete, Get, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { PARTNER_DECISIONS } from '#federation/exchange';
import { DIALECT_NAMES, SIGNATURE_CHOICES } from '#federation/protocol';
import { assertAdministrator, OcsFailure, OcsGuard, OcsInput, ocsPaths, ok, type OcsReply } from '#ocs/http';
import { needed, text, type InputOf } from '#ocs/protocol';
import { Describe } from '#platform';
import { OperatedPartners } from './operated-partners';
import { dialectsIn, limitsIn, signatureChoicesIn } from './partner-choices';

const PAGE = 100;
const MAX_HOST = 512;
const LIST = {
  after: text(`Host of the last partner of the page before; a page has up to ${PAGE} partners.`),
  search: text('Part of the host.'),
};
const NAMED = { host: needed(text('Host of the partner, with its port and path if it has them.')) };
const PIN = {
  ...NAMED,
  dialects: needed(
    text(`Dialects in the order of attempts, separated by commas: ${DIALECT_NAMES.join(', ')}.`),
  ),
};
const SIGNATURES = {
  ...NAMED,
  sign: text('How messages to the partner are signed; default follows what it announces.', {
    enum: [...SIGNATURE_CHOICES, 'default'],
  }),
  unreadable: text(
    'Whether messages of the partner with an unreadable signature are refused, or count as unsigned.',
    {
      enum: ['refuse', 'ignore'],
    },
  ),
};
const LIMITS = {
  ...NAMED,
  concurrency: needed(text('Deliveries at the same time.', { minimum: 1, maximum: 1000, type: 'integer' })),
  ratePerSecond: needed(text('Deliveries per second, above 0 and at most 1000.')),
  rateBurst: needed(
    text('Deliveries that may start at once after a pause.', { minimum: 1, maximum: 10000, type: 'integer' }),
  ),
};
type Named = InputOf<typeof NAMED>;

/** Partners and their state; for administrators. The host is a parameter, because it may contain a port and a path. */
@Controller(ocsPaths('apps/drawbridge/api/v1/partners'))
@UseGuards(OcsGuard)
export class OperatedPartnersController {
  constructor(private readonly partners: OperatedPartners) {}

  @Get()
  @Describe(
    'Lists partners by host, with their trust, their breakers and their waiting messages; for administrators.',
  )
  async list(
    @Req() request: FastifyRequest,
    @OcsInput(LIST) { after = '', search = '' }: InputOf<typeof LIST>,
  ): Promise<OcsReply> {
    assertAdministrator(request);
    if (after.length > MAX_HOST || search.length > MAX_HOST)
      throw new OcsFailure(400, 'after or search is too long');
    return ok(await this.partners.list(after, PAGE, search.toLowerCase()));
  }

  @Get('details')
  @Describe(
    'Reads all details of a partner, with the fingerprints of its keys and its last failures; for administrators.',
  )
  async details(@Req() request: FastifyRequest, @OcsInput(NAMED) input: Named): Promise<OcsReply> {
    assertAdministrator(request);
    return ok(await this.partners.details(hostOf(input)));
  }

  @Post('probe')
  @Describe('Reads the protocols of a partner, and discovers them if they are unknown; for administrators.')
  async probe(@Req() request: FastifyRequest, @OcsInput(NAMED) input: Named): Promise<OcsReply> {
    assertAdministrator(request);
    return ok(await this.partners.probe(hostOf(input)));
  }

  @Post('pause')
  @Describe('Pauses a partner: messages to it are kept until it is resumed. For administrators.')
  async pause(@Req() request: FastifyRequest, @OcsInput(NAMED) input: Named): Promise<OcsReply> {
    assertAdministrator(request);
    await this.partners.pause(hostOf(input));
    return ok();
  }

  @Post('resume')
  @Describe(`${PARTNER_DECISIONS.resume}; for administrators.`)
  async resume(@Req() request: FastifyRequest, @OcsInput(NAMED) input: Named): Promise<OcsReply> {
    assertAdministrator(request);
    await this.partners.resume(hostOf(input));
    return ok();
  }

  @Post('pin')
  @Describe(`${PARTNER_DECISIONS.pin}; for administrators.`)
  async pin(@Req() request: FastifyRequest, @OcsInput(PIN) input: InputOf<typeof PIN>): Promise<OcsReply> {
    assertAdministrator(request);
    await this.partners.pin(hostOf(input), dialectsIn(input.dialects));
    return ok();
  }

  @Delete('pin')
  @Describe(`${PARTNER_DECISIONS.unpin}; for administrators.`)
  async unpin(@Req() request: FastifyRequest, @OcsInput(NAMED) input: Named): Promise<OcsReply> {
    assertAdministrator(request);
    await this.partners.unpin(hostOf(input));
    return ok();
  }

  @Post('signatures')
  @Describe(
    'Chooses how messages to a partner are signed and how its own signatures are read; for administrators.',
  )
  async signatures(
    @Req() request: FastifyRequest,
    @OcsInput(SIGNATURES) input: InputOf<typeof SIGNATURES>,
  ): Promise<OcsReply> {
    assertAdministrator(request);
    await this.partners.chooseSignatures(hostOf(input), signatureChoicesIn(input));
    return ok();
  }

  @Post('limits')
  @Describe('Limits the deliveries to a partner; for administrators.')
  async limits(
    @Req() request: FastifyRequest,
    @OcsInput(LIMITS) input: InputOf<typeof LIMITS>,
  ): Promise<OcsReply> {
    assertAdministrator(request);
    await this.partners.limit(hostOf(input), limitsIn(input));
    return ok();
  }
}

function hostOf({ host }: { readonly host?: string | undefined }): string {
  if (!host || host.length > MAX_HOST) throw new OcsFailure(400, 'Please give a host');
  return host;
}
