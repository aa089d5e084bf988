import { Inject, Injectable } from '@nestjs/common';
import {
  AccountRepository,
  AccountStateRepository,
  ExternalGroupRepository,
  GroupRepository,
  type AccountChange,
} from '#persistence';
import { passwordFault, type PolicySource } from '#sharing';
import { ADMIN_GROUP, type Account } from './account';
import { AccountDirectory } from './account-directory';
import { assertOurs, membersKeptElsewhere } from './directories/managed-fields';
import { assertPassword, parseDisplayName, parseEmail, parseQuota, parseUserId } from './account-rules';
import { PasswordHasher } from './password-hasher';
import { parsePreference } from './user-preferences';
import { ProvisioningFailed, unlessLastAdministrator } from './provisioning-failed';

export interface NewUser {
  readonly uid: string;
  readonly password: string;
  readonly displayName?: string;
  readonly email?: string;
  readonly groups?: readonly string[];
}

/** Nest's token of the policy, which has the rules for new passwords. */
export const POLICY = Symbol('policy');

/** Administration of accounts. Callers check permissions before. Throws ProvisioningFailed. */
@Injectable()
export class UserAccounts {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly groups: GroupRepository,
    private readonly directory: AccountDirectory,
    private readonly hasher: PasswordHasher,
    private readonly externalGroups: ExternalGroupRepository,
    @Inject(POLICY) private readonly policy: PolicySource,
    private readonly states: AccountStateRepository,
  ) {}

  /** Fails with user-exists, group-unknown, managed-elsewhere, user-id-refused, display-name-refused, password-refused or email-refused. */
  async create(user: NewUser): Promise<void> {
    this.hasher.assertRoomForChange();
    if (await this.accounts.find(user.uid))
      throw new ProvisioningFailed('user-exists', 'User already exists');
    for (const gid of user.groups ?? []) await this.assertGroup(gid);
    const uid = parseUserId(user.uid);
    await this.assertNewPassword(user.password);
    const created = await this.accounts.insert({
      uid,
      displayName: parseDisplayName(user.displayName ?? '', uid),
      email: parseEmail(user.email ?? ''),
      passwordHash: await this.hasher.hash(user.password),
      groups: user.groups ?? [],
    });
    if (!created) throw new ProvisioningFailed('user-exists', 'User already exists');
    this.directory.changed(uid);
  }

  /**
   * Creates the first account of an instance, an administrator. The rules for passwords do not apply, because the operator chose it.
   * @returns false if there is an account already
   */
  async createFirstAdministrator(user: { uid: string; password: string }): Promise<boolean> {
    const uid = parseUserId(user.uid);
    assertPassword(user.password);
    const passwordHash = await this.hasher.hash(user.password);
    return this.accounts.insertFirst({
      uid,
      displayName: uid,
      email: null,
      passwordHash,
      groups: [ADMIN_GROUP],
    });
  }

  /** The account, by id regardless of case. @throws ProvisioningFailed user-unknown */
  async get(uid: string, message = 'The requested user could not be found'): Promise<Account> {
    const account = await this.directory.find(uid);
    if (!account) throw new ProvisioningFailed('user-unknown', message);
    return account;
  }

  /** A user id in the spelling of its account; unchanged if there is none. */
  async spelled(uid: string): Promise<string> {
    return (await this.directory.find(uid))?.uid ?? uid;
  }

  /** User ids in order. */
  async list(
    search = '',
    limit: number | null = null,
    offset = 0,
    within: readonly string[] | null = null,
  ): Promise<string[]> {
    return this.accounts.list(search, limit, offset, within);
  }

  /** @throws ProvisioningFailed user-unknown, last-administrator */
  async remove(uid: string): Promise<void> {
    const account = await this.get(uid);
    await unlessLastAdministrator(() => this.accounts.remove(account.uid));
    this.directory.changed(account.uid);
  }

  async setPassword(uid: string, password: string): Promise<void> {
    this.hasher.assertRoomForChange();
    const account = await this.get(uid);
    assertOurs(account, 'password');
    await this.assertNewPassword(password);
    await this.change(account.uid, { passwordHash: await this.hasher.hash(password) });
  }

  /** @throws ProvisioningFailed user-unknown; last-administrator; account-end-refused if an ending account would be enabled: its end has to be undone first */
  async setEnabled(uid: string, enabled: boolean): Promise<void> {
    const account = await this.get(uid);
    const against = enabled
      ? await this.states.enable(account.uid)
      : await unlessLastAdministrator(() => this.states.disable(account.uid));
    this.directory.changed(account.uid);
    if (against === 'ending')
      throw new ProvisioningFailed('account-end-refused', 'The account is to end: undo that first');
    if (against === 'disabled-at-source')
      throw new ProvisioningFailed('managed-elsewhere', 'This account is disabled at its source');
  }

  async setDisplayName(uid: string, displayName: string): Promise<void> {
    const account = await this.get(uid);
    assertOurs(account, 'displayName');
    await this.change(account.uid, { displayName: parseDisplayName(displayName, account.uid) });
  }

  async setEmail(uid: string, email: string): Promise<void> {
    const parsed = parseEmail(email);
    const account = await this.get(uid);
    assertOurs(account, 'email');
    await this.change(account.uid, { email: parsed });
  }

  async setQuota(uid: string, quota: string): Promise<void> {
    const quotaBytes = parseQuota(quota);
    const account = await this.get(uid);
    assertOurs(account, 'quota');
    await this.change(account.uid, { quotaBytes });
  }

  async setPreference(uid: string, app: string, key: string, value: string): Promise<void> {
    const parsed = parsePreference(app, key, value);
    const account = await this.get(uid);
    await this.accounts.setPreference(account.uid, app, key, parsed);
    this.directory.changed(account.uid);
  }

  /** Bytes of all files of the user. */
  async usedBytes(uid: string): Promise<number> {
    return this.accounts.usedBytes(uid);
  }

  private async change(uid: string, change: AccountChange): Promise<void> {
    await this.accounts.update(uid, change);
    this.directory.changed(uid);
  }

  private async assertNewPassword(password: string): Promise<void> {
    assertPassword(password);
    const fault = passwordFault((await this.policy.current()).passwords, password);
    if (fault !== undefined) throw new ProvisioningFailed('password-refused', fault);
  }

  private async assertGroup(gid: string): Promise<void> {
    if (!(await this.groups.exists(gid)))
      throw new ProvisioningFailed('group-unknown', `group ${gid} does not exist`);
    if (await this.externalGroups.isExternal(gid)) throw membersKeptElsewhere(gid);
  }
}
