import { Controller, Delete, Get, Param, Post, Put, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { identityOf, UserAccounts, type Account } from '#identity';
import { ocsPaths, OcsFailure, OcsGuard, ok, parametersOf, type OcsReply } from '#ocs/http';
import { OCS, type OcsParameters } from '#ocs/protocol';
import { answering, forbidden } from './provisioning-failures';
import { pageOf } from './page';
import { administers, assertSomeAdmin, limitOf } from './rights';
import { userRecord } from './user-record';

const UNKNOWN_OR_SELF = 101;

/** Users: list, create, read, edit, remove, enable, disable. */
@Controller(ocsPaths('cloud/users'))
@UseGuards(OcsGuard)
export class UsersController {
  constructor(private readonly users: UserAccounts) {}

  @Get()
  async list(@Req() request: FastifyRequest): Promise<OcsReply> {
    const caller = identityOf(request);
    assertSomeAdmin(caller);
    const { search, limit, offset } = pageOf(parametersOf(request));
    return ok({ users: await this.users.list(search, limit, offset, limitOf(caller)) });
  }

  @Post()
  async create(@Req() request: FastifyRequest): Promise<OcsReply> {
    const caller = identityOf(request);
    assertSomeAdmin(caller);
    const parameters = parametersOf(request);
    const groups = parameters.texts('groups');
    if (!caller.isAdmin) assertOwnGroups(caller, groups);
    const uid = parameters.text('userid') ?? '';
    const password = parameters.text('password') ?? '';
    await answering(
      { 'group-unknown': OCS.PROVISIONING_FORBIDDEN },
      () => this.users.create({ uid, password, groups }),
      true,
    );
    return ok();
  }

  @Get(':uid')
  async read(@Req() request: FastifyRequest, @Param('uid') uid: string): Promise<OcsReply> {
    const caller = identityOf(request);
    const user = await this.find(caller, uid);
    const isAdministered = administers(caller, user);
    if (!isAdministered && user.uid !== caller.uid) throw forbidden();
    return ok(userRecord(user, await this.users.usedBytes(user.uid), isAdministered));
  }

  @Put(':uid')
  async edit(@Req() request: FastifyRequest, @Param('uid') uid: string): Promise<OcsReply> {
    const caller = identityOf(request);
    const user = await this.users.get(uid).catch(() => Promise.reject(forbidden()));
    const isAdministered = administers(caller, user);
    if (!isAdministered && user.uid !== caller.uid) throw forbidden();
    await this.applyEdit(user.uid, parametersOf(request), isAdministered);
    return ok();
  }

  @Delete(':uid')
  async remove(@Req() request: FastifyRequest, @Param('uid') uid: string): Promise<OcsReply> {
    const user = await this.findOther(identityOf(request), uid);
    await this.users.remove(user.uid);
    return ok();
  }

  @Put(':uid/enable')
  async enable(@Req() request: FastifyRequest, @Param('uid') uid: string): Promise<OcsReply> {
    const user = await this.findOther(identityOf(request), uid);
    await this.users.setEnabled(user.uid, true);
    return ok();
  }

  @Put(':uid/disable')
  async disable(@Req() request: FastifyRequest, @Param('uid') uid: string): Promise<OcsReply> {
    const user = await this.findOther(identityOf(request), uid);
    await this.users.setEnabled(user.uid, false);
    return ok();
  }

  private async applyEdit(uid: string, parameters: OcsParameters, isAdministered: boolean): Promise<void> {
    const value = parameters.text('value') ?? '';
    const key = parameters.text('key');
    if (key === 'display' || key === 'displayname') return this.users.setDisplayName(uid, value);
    if (key === 'email') return this.users.setEmail(uid, value);
    if (key === 'password')
      return answering({ 'password-refused': 403 }, () => this.users.setPassword(uid, value), true);
    if (key === 'quota' && isAdministered) return this.users.setQuota(uid, value);
    throw forbidden();
  }

  /** A user whom somebody may look up: unknown ones are unknown only to those who administer. */
  private async find(caller: Account, uid: string): Promise<Account> {
    if (caller.isAdmin || caller.subadminOf.length > 0) return this.users.get(uid);
    return this.users.get(uid).catch(() => Promise.reject(forbidden()));
  }

  /** A user whom the caller administers and who is not himself. */
  private async findOther(caller: Account, uid: string): Promise<Account> {
    assertSomeAdmin(caller);
    const user = await answering({ 'user-unknown': UNKNOWN_OR_SELF }, () => this.users.get(uid));
    if (user.uid === caller.uid) throw new OcsFailure(UNKNOWN_OR_SELF, null);
    if (!administers(caller, user)) throw forbidden();
    return user;
  }
}

/** Subadmins put new users into groups of theirs. */
function assertOwnGroups(caller: Account, groups: readonly string[]): void {
  if (groups.length === 0) throw new OcsFailure(106, 'no group specified (required for subadmins)');
  const foreign = groups.find((gid) => !caller.subadminOf.includes(gid));
  if (foreign !== undefined) throw new OcsFailure(105, `insufficient privileges for group ${foreign}`);
}
