import { Controller, Delete, Get, Param, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { readInvitation, readInvitationText, type ReceivedInvitation } from '#federation/protocol';
import { identityOf } from '#identity';
import { ocsPaths, OcsGuard, ok, parametersOf, type OcsReply } from '#ocs/http';
import { AcceptInvitation } from './accept-invitation';
import { contactRecord, invitationRecord, madeInvitationRecord } from './invitation-records';
import { InvitationRefused } from './invitation-refused';
import { UserContacts } from './user-contacts';
import { UserInvitations } from './user-invitations';

/** Invitations to people elsewhere, and whom they made contacts. Each user sees and changes his own. */
@Controller(ocsPaths('apps/ocm/api/v1'))
@UseGuards(OcsGuard)
export class InvitationsController {
  constructor(
    private readonly invitations: UserInvitations,
    private readonly acceptance: AcceptInvitation,
    private readonly contacts: UserContacts,
  ) {}

  @Get('invitations')
  async list(@Req() request: FastifyRequest): Promise<OcsReply> {
    return ok((await this.invitations.open(identityOf(request).uid)).map(invitationRecord));
  }

  @Post('invitations')
  async make(@Req() request: FastifyRequest): Promise<OcsReply> {
    const parameters = parametersOf(request);
    const description = parameters.text('description') ?? '';
    const address = parameters.text('recipient') || undefined;
    return ok(
      madeInvitationRecord(await this.invitations.make(identityOf(request).uid, description, address)),
    );
  }

  @Delete('invitations/:id')
  async takeBack(@Req() request: FastifyRequest, @Param('id') id: string): Promise<OcsReply> {
    await this.invitations.takeBack(identityOf(request).uid, numberOf(id));
    return ok();
  }

  /** An empty list where the partner has not answered yet: the contact appears when it has. */
  @Post('invitations/accept')
  async accept(@Req() request: FastifyRequest): Promise<OcsReply> {
    const contact = await this.acceptance.accept(identityOf(request).uid, invitationIn(request));
    return ok(contact ? contactRecord(contact) : []);
  }

  @Get('contacts')
  async listContacts(@Req() request: FastifyRequest): Promise<OcsReply> {
    const after = parametersOf(request).text('after');
    const rows = await this.contacts.list(identityOf(request).uid, after === undefined ? 0 : numberOf(after));
    return ok(rows.map(contactRecord));
  }

  @Delete('contacts/:id')
  async removeContact(@Req() request: FastifyRequest, @Param('id') id: string): Promise<OcsReply> {
    await this.contacts.remove(identityOf(request).uid, numberOf(id));
    return ok();
  }
}

/** `invitation` holds token and host in one; otherwise `token` and `providerDomain` name them. @throws InvitationRefused */
function invitationIn(request: FastifyRequest): ReceivedInvitation {
  const parameters = parametersOf(request);
  const text = parameters.text('invitation');
  const read =
    text === undefined
      ? readInvitation(parameters.text('token') ?? '', parameters.text('providerDomain') ?? '')
      : readInvitationText(text);
  if (!read) throw new InvitationRefused('invalid');
  return read;
}

/** What is no number names nothing. @throws InvitationRefused nothing-there */
function numberOf(id: string): number {
  if (!/^\d{1,15}$/.test(id)) throw new InvitationRefused('nothing-there');
  return Number(id);
}
