import { Controller, Delete, Get, Param, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ADMIN_GROUP, identityOf, UserAccounts, UserGroups, type Account } from '#identity';
import { OcsInput, ocsPaths, OcsFailure, OcsGuard, ok, type OcsReply } from '#ocs/http';
import { needed, text, type InputOf } from '#ocs/protocol';
import { Describe } from '#platform';
import { answering, forbidden } from './provisioning-failures';
import { assertAdmin, assertSomeAdmin, oversees } from './rights';

const NO_GROUP_GIVEN = 101;
const NO_SUCH_GROUP = 102;
const NO_SUCH_USER = 103;
const NOT_ALLOWED = 104;
const OWN_ADMIN_RIGHT = 105;

const NAMED = { groupid: needed(text('Id of the group.')) };
type Named = InputOf<typeof NAMED>;

/** A user's groups, and the groups that they administer. */
@Controller(ocsPaths('cloud/users/:uid'))
@UseGuards(OcsGuard)
export class MembershipsController {
  constructor(
    private readonly users: UserAccounts,
    private readonly groups: UserGroups,
  ) {}

  @Get('groups')
  @Describe('Lists the groups of a user.')
  async list(@Req() request: FastifyRequest, @Param('uid') uid: string): Promise<OcsReply> {
    const caller = identityOf(request);
    const user = await this.findVisible(caller, uid);
    const groups = oversees(caller, user) && !caller.isAdmin ? within(user.groups, caller) : user.groups;
    return ok({ groups: [...groups] });
  }

  @Post('groups')
  @Describe('Adds a user to a group; for administrators.')
  async join(
    @Req() request: FastifyRequest,
    @Param('uid') uid: string,
    @OcsInput(NAMED) input: Named,
  ): Promise<OcsReply> {
    assertAdmin(identityOf(request));
    const gid = groupOf(input);
    await answering({ 'group-unknown': NO_SUCH_GROUP, 'user-unknown': NO_SUCH_USER }, () =>
      this.groups.join(gid, uid),
    );
    return ok();
  }

  @Delete('groups')
  @Describe('Removes a user from a group; for administrators and administrators of the group.')
  async leave(
    @Req() request: FastifyRequest,
    @Param('uid') uid: string,
    @OcsInput(NAMED) input: Named,
  ): Promise<OcsReply> {
    const caller = identityOf(request);
    assertSomeAdmin(caller);
    const gid = groupOf(input);
    if (!(await this.groups.exists(gid))) throw new OcsFailure(NO_SUCH_GROUP, null);
    const user = await answering({ 'user-unknown': NO_SUCH_USER }, () => this.users.get(uid));
    if (!caller.isAdmin && !caller.subadminOf.includes(gid)) throw new OcsFailure(NOT_ALLOWED, null);
    if (gid === ADMIN_GROUP && user.uid === caller.uid)
      throw new OcsFailure(OWN_ADMIN_RIGHT, 'Cannot remove yourself from the admin group');
    await this.groups.leave(gid, user.uid);
    return ok();
  }

  @Get('subadmins')
  @Describe('Lists the groups that a user administers.')
  async listSubadmin(@Req() request: FastifyRequest, @Param('uid') uid: string): Promise<OcsReply> {
    const caller = identityOf(request);
    if (!caller.isAdmin && caller.uid.toLowerCase() !== uid.toLowerCase()) throw forbidden();
    const user = await answering({ 'user-unknown': 998 }, () => this.users.get(uid), true);
    return ok([...user.subadminOf]);
  }

  @Post('subadmins')
  @Describe('Makes a user administrator of a group; for administrators.')
  async addSubadmin(
    @Req() request: FastifyRequest,
    @Param('uid') uid: string,
    @OcsInput(NAMED) { groupid: gid = '' }: Named,
  ): Promise<OcsReply> {
    assertAdmin(identityOf(request));
    const codes = { 'user-unknown': 101, 'group-unknown': 102, 'group-protected': 103 };
    await answering(codes, () => this.groups.addSubadmin(gid, uid), true);
    return ok();
  }

  @Delete('subadmins')
  @Describe('Takes the administration of a group away from a user; for administrators.')
  async removeSubadmin(
    @Req() request: FastifyRequest,
    @Param('uid') uid: string,
    @OcsInput(NAMED) { groupid: gid = '' }: Named,
  ): Promise<OcsReply> {
    assertAdmin(identityOf(request));
    await answering({ 'user-unknown': 101 }, () => this.groups.removeSubadmin(gid, uid), true);
    return ok();
  }

  private async findVisible(caller: Account, uid: string): Promise<Account> {
    if (!caller.isAdmin && caller.subadminOf.length === 0 && caller.uid.toLowerCase() !== uid.toLowerCase())
      throw forbidden();
    const user = await this.users.get(uid);
    if (user.uid !== caller.uid && !oversees(caller, user)) throw forbidden();
    return user;
  }
}

const within = (groups: readonly string[], caller: Account): string[] =>
  groups.filter((gid) => caller.subadminOf.includes(gid));

function groupOf({ groupid: gid = '' }: Named): string {
  if (gid === '') throw new OcsFailure(NO_GROUP_GIVEN, null);
  return gid;
}
