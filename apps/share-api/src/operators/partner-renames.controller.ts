import { Controller, Get, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { identityOf } from '#identity';
import { assertAdministrator, OcsFailure, OcsGuard, OcsInput, ocsPaths, ok, type OcsReply } from '#ocs/http';
import { needed, text, type InputOf } from '#ocs/protocol';
import { Describe } from '#platform';
import { OperatedRenames, type NamedHosts } from './operated-renames';

const MAX_HOST = 512;
const HOSTS = {
  host: needed(text('Host of the partner, with its port and path if it has them.')),
  newHost: needed(text('New host of the partner.')),
};
const RENAME = {
  ...HOSTS,
  oldHostGone: text('1 if the old host is gone for ever and is not asked.', { enum: ['0', '1'] }),
};

/** Partners that moved to another host; for administrators. */
@Controller(ocsPaths('apps/drawbridge/api/v1/partners/rename'))
@UseGuards(OcsGuard)
export class PartnerRenamesController {
  constructor(private readonly renames: OperatedRenames) {}

  @Get()
  @Describe(
    'Counts what a rename of a partner would move, and shows the result of the last rename; for administrators.',
  )
  async plan(
    @Req() request: FastifyRequest,
    @OcsInput(HOSTS) input: InputOf<typeof HOSTS>,
  ): Promise<OcsReply> {
    assertAdministrator(request);
    return ok(await this.renames.plan(hostsIn(input)));
  }

  @Post()
  @Describe(
    'Moves everything that is shared with a partner to its new host. A worker asks both hosts for their identity, and the new host has to show shares of the old one. The state is waiting until the move ends, then renamed or refused. For administrators.',
  )
  async rename(
    @Req() request: FastifyRequest,
    @OcsInput(RENAME) input: InputOf<typeof RENAME>,
  ): Promise<OcsReply> {
    assertAdministrator(request);
    const { oldHostGone = '0' } = input;
    if (!['0', '1'].includes(oldHostGone)) throw new OcsFailure(400, 'oldHostGone is 0 or 1');
    return ok(await this.renames.rename(identityOf(request).uid, hostsIn(input), oldHostGone === '1'));
  }
}

/** @throws OcsFailure */
function hostsIn({ host, newHost }: Partial<NamedHosts>): NamedHosts {
  if (!host || !newHost || host.length > MAX_HOST || newHost.length > MAX_HOST)
    throw new OcsFailure(400, 'Please give a host and a newHost');
  return { host, newHost };
}
