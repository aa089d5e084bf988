import { Controller, Delete, Get, Param, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { identityOf, MOST_MEMBERS, RemoteMembers, type Account } from '#identity';
import { OcsInput, ocsPaths, OcsGuard, ok, type OcsReply } from '#ocs/http';
import { integer, text, texts, type InputOf } from '#ocs/protocol';
import { Describe } from '#platform';
import { forbidden } from './provisioning-failures';
import { assertSomeAdmin } from './rights';

const LISTED = 100;
const LIST = {
  after: text('Canonical id of the last member of the page before.'),
  limit: integer('Maximum number of entries.'),
};
const NAMED = { cloud_ids: texts('Federated cloud ids, at most 1000.') };
type Named = InputOf<typeof NAMED>;

/** A group's members with accounts at partners; for administrators, including those of the group. */
@Controller(ocsPaths('cloud/groups/:gid/remote_members'))
@UseGuards(OcsGuard)
export class RemoteMembersController {
  constructor(private readonly members: RemoteMembers) {}

  @Get()
  @Describe('Lists the remote members of a group: accounts of partners.')
  async list(
    @Req() request: FastifyRequest,
    @Param('gid') gid: string,
    @OcsInput(LIST) { after = '', limit = LISTED }: InputOf<typeof LIST>,
  ): Promise<OcsReply> {
    assertAdministers(identityOf(request), gid);
    const members = await this.members.list(gid, after, Math.min(Math.max(limit, 1), MOST_MEMBERS));
    return ok({ members: members.map(({ cloudId, canonical }) => ({ cloud_id: cloudId, id: canonical })) });
  }

  @Post()
  @Describe('Adds accounts of partners to a group: they get offers of the shares with the group.')
  async add(
    @Req() request: FastifyRequest,
    @Param('gid') gid: string,
    @OcsInput(NAMED) { cloud_ids: cloudIds }: Named,
  ): Promise<OcsReply> {
    assertAdministers(identityOf(request), gid);
    return ok({ added: await this.members.add(gid, cloudIds) });
  }

  @Delete()
  @Describe('Removes accounts of partners from a group: the shares with the group end for them.')
  async remove(
    @Req() request: FastifyRequest,
    @Param('gid') gid: string,
    @OcsInput(NAMED) { cloud_ids: cloudIds }: Named,
  ): Promise<OcsReply> {
    assertAdministers(identityOf(request), gid);
    return ok({ removed: await this.members.remove(gid, cloudIds) });
  }
}

function assertAdministers(caller: Account, gid: string): void {
  assertSomeAdmin(caller);
  if (!caller.isAdmin && !caller.subadminOf.includes(gid)) throw forbidden();
}
