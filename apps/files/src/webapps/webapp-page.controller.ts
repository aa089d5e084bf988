import { Controller, Param, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { RedirectReply } from '#pages';
import { PublicAddress, type EdgeReply } from '#platform';
import { assertInService, CachedPolicy } from '#settings';
import { parsePath } from '#storage';
import { PartnerGuests } from './partner-guests';

const MAX_FORM_CHARACTERS = 16_384;

/**
 * The address of `protocol.webapp` in our offers: a page of the recipient's server posts an access token here. Paths below it are entries
 * of a shared folder.
 */
@Controller(['apps/ocm/app', 'index.php/apps/ocm/app'])
export class WebappPageController {
  constructor(
    private readonly guests: PartnerGuests,
    private readonly policy: CachedPolicy,
    private readonly publicAddress: PublicAddress,
  ) {}

  @Post(':id')
  enter(@Req() request: FastifyRequest, @Param('id') id: string): Promise<EdgeReply> {
    return this.begin(request, id, '');
  }

  @Post(':id/*')
  enterBelow(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Param('*') rest: string,
  ): Promise<EdgeReply> {
    return this.begin(request, id, parsePath(rest.replace(/\/+$/, '')));
  }

  private async begin(request: FastifyRequest, id: string, path: string): Promise<EdgeReply> {
    await assertInService(this.policy);
    const { body, ip } = request;
    const form = Buffer.isBuffer(body) ? body.toString('utf8', 0, MAX_FORM_CHARACTERS) : '';
    const token = new URLSearchParams(form).get('access_token') ?? '';
    const session = await this.guests.begin(token, id, ip);
    const place = path === '' ? '' : `?${new URLSearchParams({ path }).toString()}`;
    return new RedirectReply(`${this.publicAddress.path}/s/${session}${place}`);
  }
}
