import { Controller, Delete, Get, Param, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { readInvitation, readInvitationText, type ReceivedInvitation } from '#federation/protocol';
import { RequireScope, identityOf } from '#identity';
import { OcsInput, ocsPaths, OcsGuard, ok, type OcsReply } from '#ocs/http';
import { text, type InputOf } from '#ocs/protocol';
import { Describe } from '#platform';
import { AcceptInvitation } from './accept-invitation';
import { contactRecord, invitationRecord, madeInvitationRecord } from './invitation-records';
import { InvitationRefused } from './invitation-refused';
import { UserContacts } from './user-contacts';
import { UserInvitations } from './user-invitations';

const MAKE = {
  description: text('Note of the inviting user about the invited person.'),
  recipient: text('Mail address for the invitation; without it, no mail is sent.'),
};
const ACCEPT = {
  invitation: text('Token and host in one text, as users exchange it; replaces the other two.'),
  token: text('The token of the invitation.'),
  providerDomain: text('The host of the inviting person.'),
};
const LIST_CONTACTS = { after: text('Id of the last contact of the page before.') };

/** Invitations to people at other servers, and the resulting contacts. Each user sees and changes their own. */
@Controller(ocsPaths('apps/ocm/api/v1'))
@RequireScope('sharing')
@UseGuards(OcsGuard)
export class InvitationsController {
  constructor(
    private readonly invitations: UserInvitations,
    private readonly acceptance: AcceptInvitation,
    private readonly contacts: UserContacts,
  ) {}

  @Get('invitations')
  @Describe('Lists the open invitations of the caller.')
  async list(@Req() request: FastifyRequest): Promise<OcsReply> {
    return ok((await this.invitations.open(identityOf(request).uid)).map(invitationRecord));
  }

  @Post('invitations')
  @Describe('Makes an invitation.')
  async make(
    @Req() request: FastifyRequest,
    @OcsInput(MAKE) { description = '', recipient }: InputOf<typeof MAKE>,
  ): Promise<OcsReply> {
    const address = recipient || undefined;
    return ok(
      madeInvitationRecord(await this.invitations.make(identityOf(request).uid, description, address)),
    );
  }

  @Delete('invitations/:id')
  @Describe('Withdraws an invitation.')
  async takeBack(@Req() request: FastifyRequest, @Param('id') id: string): Promise<OcsReply> {
    await this.invitations.takeBack(identityOf(request).uid, numberOf(id));
    return ok();
  }

  /** Returns an empty list while the partner has not answered; the contact appears when it does. */
  @Post('invitations/accept')
  @Describe('Accepts an invitation of somebody at another server.')
  async accept(
    @Req() request: FastifyRequest,
    @OcsInput(ACCEPT) input: InputOf<typeof ACCEPT>,
  ): Promise<OcsReply> {
    const contact = await this.acceptance.accept(identityOf(request).uid, invitationIn(input));
    return ok(contact ? contactRecord(contact) : []);
  }

  @Get('contacts')
  @Describe('Lists the contacts of the caller.')
  async listContacts(
    @Req() request: FastifyRequest,
    @OcsInput(LIST_CONTACTS) { after }: InputOf<typeof LIST_CONTACTS>,
  ): Promise<OcsReply> {
    const rows = await this.contacts.list(identityOf(request).uid, after === undefined ? 0 : numberOf(after));
    return ok(rows.map(contactRecord));
  }

  @Delete('contacts/:id')
  @Describe('Removes a contact.')
  async removeContact(@Req() request: FastifyRequest, @Param('id') id: string): Promise<OcsReply> {
    await this.contacts.remove(identityOf(request).uid, numberOf(id));
    return ok();
  }
}

/** `invitation` contains token and host; otherwise `token` and `providerDomain` name them. @throws InvitationRefused */
function invitationIn({
  invitation,
  token = '',
  providerDomain = '',
}: InputOf<typeof ACCEPT>): ReceivedInvitation {
  const read =
    invitation === undefined ? readInvitation(token, providerDomain) : readInvitationText(invitation);
  if (!read) throw new InvitationRefused('invalid');
  return read;
}

/** @throws InvitationRefused nothing-there for an id that is no number */
function numberOf(id: string): number {
  if (!/^\d{1,15}$/.test(id)) throw new InvitationRefused('nothing-there');
  return Number(id);
}
