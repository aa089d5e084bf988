import { Controller, HttpCode, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { readInvitation } from '#federation/protocol';
import { RequireScope, identityOf } from '#identity';
import { Describe, PublicAddress, type EdgeReply } from '#platform';
import { SignedInCallGuard } from '../foreign-links/signed-in.guard';
import { readCallFields } from '../saved-links/call-fields';
import { backToForm } from '../saved-links/back-to-form';
import { AcceptInvitation } from './accept-invitation';
import { InvitationRefused } from './invitation-refused';

/** The form of the page on which invitations are accepted. */
@Controller(['apps/ocm/invitation', 'index.php/apps/ocm/invitation'])
@RequireScope('sharing')
@UseGuards(SignedInCallGuard)
export class AcceptPageController {
  constructor(
    private readonly acceptance: AcceptInvitation,
    private readonly publicAddress: PublicAddress,
  ) {}

  @Post('accept')
  @HttpCode(303)
  @Describe('Accepts an invitation of somebody at another server, and sends the browser back to the page.')
  async accept(@Req() request: FastifyRequest): Promise<EdgeReply> {
    const accepted = await this.outcomeOf(request);
    const isFilled = accepted === 'no';
    return backToForm(this.publicAddress.path, 'invitation', request, { outcome: { accepted }, isFilled });
  }

  private async outcomeOf(request: FastifyRequest): Promise<'yes' | 'later' | 'no'> {
    const { token = '', providerDomain = '' } = readCallFields(request.body);
    const invitation = readInvitation(token, providerDomain);
    if (!invitation) return 'no';
    try {
      return (await this.acceptance.accept(identityOf(request).uid, invitation)) ? 'yes' : 'later';
    } catch (error) {
      if (error instanceof InvitationRefused) return 'no';
      throw error;
    }
  }
}
