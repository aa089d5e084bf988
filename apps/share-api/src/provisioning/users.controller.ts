import { Controller, Delete, Get, Param, Post, Put, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type Account, RequireScope, identityOf, UserAccounts } from '#identity';
import { OcsInput, ocsPaths, OcsFailure, OcsGuard, ok, type OcsReply } from '#ocs/http';
import { needed, OCS, text, texts, type InputOf } from '#ocs/protocol';
import { Describe } from '#platform';
import { CachedPolicy } from '#settings';
import { answering, forbidden } from './provisioning-failures';
import { PAGE, pageOf } from './page';
import { administers, assertSomeAdmin, limitOf, oversees } from './rights';
import { userRecord } from './user-record';

const UNKNOWN_OR_SELF = 101;

const CREATE = {
  userid: needed(text('Id of the new user.')),
  password: needed(text('Password of the new user.', { format: 'password' })),
  groups: texts('Groups of the new user.'),
};
const EDIT = {
  key: needed(
    text('Name of the value; only administrators may change the quota.', {
      enum: ['display', 'displayname', 'email', 'password', 'quota'],
    }),
  ),
  value: text('The new value.'),
};

/** Users: list, create, read, edit, remove, enable, disable. */
@Controller(ocsPaths('cloud/users'))
@UseGuards(OcsGuard)
export class UsersController {
  constructor(
    private readonly users: UserAccounts,
    private readonly policy: CachedPolicy,
  ) {}

  @Get()
  @Describe('Lists users; for administrators and group administrators.')
  async list(@Req() request: FastifyRequest, @OcsInput(PAGE) input: InputOf<typeof PAGE>): Promise<OcsReply> {
    const caller = identityOf(request);
    assertSomeAdmin(caller);
    const { search, limit, offset } = pageOf(input);
    return ok({ users: await this.users.list(search, limit, offset, limitOf(caller)) });
  }

  @Post()
  @Describe('Makes a user; for administrators and group administrators.')
  async create(
    @Req() request: FastifyRequest,
    @OcsInput(CREATE) { userid: uid = '', password = '', groups }: InputOf<typeof CREATE>,
  ): Promise<OcsReply> {
    const caller = identityOf(request);
    assertSomeAdmin(caller);
    if (!caller.isAdmin) assertOwnGroups(caller, groups);
    await answering(
      { 'group-unknown': OCS.PROVISIONING_FORBIDDEN },
      () => this.users.create({ uid, password, groups }),
      true,
    );
    return ok();
  }

  @Get(':uid')
  @RequireScope('account')
  @Describe('Reads a user.')
  async read(@Req() request: FastifyRequest, @Param('uid') uid: string): Promise<OcsReply> {
    const caller = identityOf(request);
    const user = await this.find(caller, uid);
    const isOverseen = oversees(caller, user);
    if (!isOverseen && user.uid !== caller.uid) throw forbidden();
    return ok(userRecord(user, await this.users.usedBytes(user.uid), isOverseen));
  }

  @Put(':uid')
  @Describe('Changes a value of a user.')
  async edit(
    @Req() request: FastifyRequest,
    @Param('uid') uid: string,
    @OcsInput(EDIT) input: InputOf<typeof EDIT>,
  ): Promise<OcsReply> {
    const caller = identityOf(request);
    const user = await this.users.get(uid).catch(() => Promise.reject(forbidden()));
    const isAdministered = administers(caller, user);
    if (!isAdministered && user.uid !== caller.uid) throw forbidden();
    await this.applyEdit(user.uid, input, isAdministered);
    return ok();
  }

  @Delete(':uid')
  @Describe('Removes a user; for administrators and administrators of one of the user’s groups.')
  async remove(@Req() request: FastifyRequest, @Param('uid') uid: string): Promise<OcsReply> {
    const user = await this.findOther(identityOf(request), uid);
    await this.users.remove(user.uid);
    return ok();
  }

  @Put(':uid/enable')
  @Describe('Enables a user; for administrators and administrators of one of the user’s groups.')
  async enable(@Req() request: FastifyRequest, @Param('uid') uid: string): Promise<OcsReply> {
    const user = await this.findOther(identityOf(request), uid);
    await this.users.setEnabled(user.uid, true);
    return ok();
  }

  @Put(':uid/disable')
  @Describe('Disables a user; for administrators and administrators of one of the user’s groups.')
  async disable(@Req() request: FastifyRequest, @Param('uid') uid: string): Promise<OcsReply> {
    const user = await this.findOther(identityOf(request), uid);
    await this.users.setEnabled(user.uid, false);
    return ok();
  }

  private async applyEdit(
    uid: string,
    { key, value = '' }: InputOf<typeof EDIT>,
    isAdministered: boolean,
  ): Promise<void> {
    const { ownAccount } = await this.policy.current();
    if ((key === 'display' || key === 'displayname') && (isAdministered || ownAccount.displayName))
      return this.users.setDisplayName(uid, value);
    if (key === 'email' && (isAdministered || ownAccount.email)) return this.users.setEmail(uid, value);
    if (key === 'password')
      return answering({ 'password-refused': 403 }, () => this.users.setPassword(uid, value), true);
    if (key === 'quota' && isAdministered) return this.users.setQuota(uid, value);
    throw forbidden();
  }

  /** A user whom the caller may see. Only administrators learn that a user is unknown. */
  private async find(caller: Account, uid: string): Promise<Account> {
    if (caller.isAdmin || caller.subadminOf.length > 0) return this.users.get(uid);
    return this.users.get(uid).catch(() => Promise.reject(forbidden()));
  }

  /** Another user whom the caller administers. */
  private async findOther(caller: Account, uid: string): Promise<Account> {
    assertSomeAdmin(caller);
    const user = await answering({ 'user-unknown': UNKNOWN_OR_SELF }, () => this.users.get(uid));
    if (user.uid === caller.uid) throw new OcsFailure(UNKNOWN_OR_SELF, null);
    if (!administers(caller, user)) throw forbidden();
    return user;
  }
}

/** Subadmins have to put new users into their own groups. */
function assertOwnGroups(caller: Account, groups: readonly string[]): void {
  if (groups.length === 0) throw new OcsFailure(106, 'no group specified (required for subadmins)');
  const foreign = groups.find((gid) => !caller.subadminOf.includes(gid));
  if (foreign !== undefined) throw new OcsFailure(105, `insufficient privileges for group ${foreign}`);
}
