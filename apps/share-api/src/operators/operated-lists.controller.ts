import { Controller, Get, Param, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { assertAdministrator, OcsFailure, OcsGuard, OcsInput, ocsPaths, ok, type OcsReply } from '#ocs/http';
import { text, type InputOf } from '#ocs/protocol';
import { Describe } from '#platform';
import { OperatedLists } from './operated-lists';

const PAGE = 100;
const MAX_TEXT = 512;
const MAX_VALUE = 8192;
const READ = {
  uid: text('User id, for a list of one account.'),
  host: text('Host of a partner: with stored-writes, only files for this partner.'),
  after: text(`Id of the last row of the page before; a page has up to ${PAGE} rows.`),
};
const ACT = {
  uid: text('User id, for a list of one account.'),
  id: text('Id of the row; absent if the action is about the whole list.'),
  value: text(
    'A text that the action needs: the key of a directory service in PEM, or the subject of a person.',
  ),
};

/** Lists of the whole instance with actions on their rows; for administrators. */
@Controller(ocsPaths('apps/drawbridge/api/v1/lists'))
@UseGuards(OcsGuard)
export class OperatedListsController {
  constructor(private readonly lists: OperatedLists) {}

  @Get(':list')
  @Describe(
    'Lists shares, ended-shares, unanswered-shares, reports, quarantine, stored-writes, scim-clients, directory, directory-services, signing-keys, secrets, kept-files or capabilities, or of one account its identity, app-passwords, second-factor, contacts or invitations; for administrators.',
  )
  async read(
    @Req() request: FastifyRequest,
    @Param('list') list: string,
    @OcsInput(READ) { uid = '', host = '', after = '' }: InputOf<typeof READ>,
  ): Promise<OcsReply> {
    assertAdministrator(request);
    assertShort(uid, host, after);
    return ok(await this.lists.read(list, after, { uid, host, limit: PAGE }));
  }

  @Post(':list/:action')
  @Describe(
    'Does something to a row of such a list: shares expire or delete, reports close, stored-writes retry or give-up, scim-clients create or revoke, directory sync or sync-accepting-loss, directory-services add or remove, signing-keys make-new or make-new-after-leak, secrets rotate, kept-files remove-outdated, capabilities delete, identity attach or detach, app-passwords revoke or revoke-all, second-factor reset, contacts remove, invitations remove; for administrators.',
  )
  async act(
    @Req() request: FastifyRequest,
    @Param('list') list: string,
    @Param('action') action: string,
    @OcsInput(ACT) { uid = '', id = '', value = '' }: InputOf<typeof ACT>,
  ): Promise<OcsReply> {
    assertAdministrator(request);
    assertShort(uid, id);
    if (value.length > MAX_VALUE) throw new OcsFailure(400, 'value is too long');
    return ok(await this.lists.act(list, action, { uid, id, value }));
  }
}

function assertShort(...texts: readonly string[]): void {
  if (texts.some(({ length }) => length > MAX_TEXT)) throw new OcsFailure(400, 'A parameter is too long');
}
