import { Controller, Delete, Get, Param, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { identityOf, UserGroups } from '#identity';
import { ocsPaths, OcsFailure, OcsGuard, ok, parametersOf, type OcsReply } from '#ocs/http';
import { OCS } from '#ocs/protocol';
import { answering } from './provisioning-failures';
import { pageOf } from './page';
import { assertAdmin, assertSomeAdmin, limitOf } from './rights';

const UNKNOWN_GROUP = 101;

/** Groups: list, create, members, remove. */
@Controller(ocsPaths('cloud/groups'))
@UseGuards(OcsGuard)
export class GroupsController {
  constructor(private readonly groups: UserGroups) {}

  @Get()
  async list(@Req() request: FastifyRequest): Promise<OcsReply> {
    const caller = identityOf(request);
    assertSomeAdmin(caller);
    const { search, limit, offset } = pageOf(parametersOf(request));
    return ok({ groups: await this.groups.list(search, limit, offset, limitOf(caller)) });
  }

  @Post()
  async create(@Req() request: FastifyRequest): Promise<OcsReply> {
    assertAdmin(identityOf(request));
    await this.groups.create(parametersOf(request).text('groupid') ?? '');
    return ok();
  }

  @Get(':gid')
  async members(@Req() request: FastifyRequest, @Param('gid') gid: string): Promise<OcsReply> {
    const caller = identityOf(request);
    assertSomeAdmin(caller);
    const users = await this.groups.members(gid);
    if (!caller.isAdmin && !caller.subadminOf.includes(gid))
      throw new OcsFailure(OCS.UNAUTHORISED, 'User does not have access to specified group');
    return ok({ users });
  }

  @Delete(':gid')
  async remove(@Req() request: FastifyRequest, @Param('gid') gid: string): Promise<OcsReply> {
    assertAdmin(identityOf(request));
    await answering({ 'group-unknown': UNKNOWN_GROUP, 'group-protected': 102 }, () =>
      this.groups.remove(gid),
    );
    return ok();
  }
}
