import { Controller, Delete, Get, Param, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { identityOf, UserGroups } from '#identity';
import { OcsInput, ocsPaths, OcsFailure, OcsGuard, ok, type OcsReply } from '#ocs/http';
import { needed, OCS, text, type InputOf } from '#ocs/protocol';
import { Describe } from '#platform';
import { answering } from './provisioning-failures';
import { PAGE, pageOf } from './page';
import { assertAdmin, assertSomeAdmin, limitOf } from './rights';

const UNKNOWN_GROUP = 101;

const CREATE = { groupid: needed(text('Id of the new group.')) };

/** Groups: list, create, members, remove. */
@Controller(ocsPaths('cloud/groups'))
@UseGuards(OcsGuard)
export class GroupsController {
  constructor(private readonly groups: UserGroups) {}

  @Get()
  @Describe('Lists groups; for administrators and group administrators.')
  async list(@Req() request: FastifyRequest, @OcsInput(PAGE) input: InputOf<typeof PAGE>): Promise<OcsReply> {
    const caller = identityOf(request);
    assertSomeAdmin(caller);
    const { search, limit, offset } = pageOf(input);
    return ok({ groups: await this.groups.list(search, limit, offset, limitOf(caller)) });
  }

  @Post()
  @Describe('Makes a group; for administrators.')
  async create(
    @Req() request: FastifyRequest,
    @OcsInput(CREATE) { groupid = '' }: InputOf<typeof CREATE>,
  ): Promise<OcsReply> {
    assertAdmin(identityOf(request));
    await this.groups.create(groupid);
    return ok();
  }

  @Get(':gid')
  @Describe('Lists the members of a group; for administrators and administrators of the group.')
  async members(@Req() request: FastifyRequest, @Param('gid') gid: string): Promise<OcsReply> {
    const caller = identityOf(request);
    assertSomeAdmin(caller);
    const users = await this.groups.members(gid);
    if (!caller.isAdmin && !caller.subadminOf.includes(gid))
      throw new OcsFailure(OCS.UNAUTHORISED, 'User does not have access to specified group');
    return ok({ users });
  }

  @Get(':gid/subadmins')
  @Describe('Lists the users that administer a group; for administrators.')
  async subadmins(@Req() request: FastifyRequest, @Param('gid') gid: string): Promise<OcsReply> {
    assertAdmin(identityOf(request));
    const list = () => this.groups.subadmins(gid);
    return ok(await answering({ 'group-unknown': UNKNOWN_GROUP }, list, true));
  }

  @Delete(':gid')
  @Describe('Removes a group; for administrators.')
  async remove(@Req() request: FastifyRequest, @Param('gid') gid: string): Promise<OcsReply> {
    assertAdmin(identityOf(request));
    await answering({ 'group-unknown': UNKNOWN_GROUP, 'group-protected': 102 }, () =>
      this.groups.remove(gid),
    );
    return ok();
  }
}
