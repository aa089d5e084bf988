import { Injectable } from '@nestjs/common';
import {
  AccountRepository,
  AccountStateRepository,
  ExternalIdentityRepository,
  type AccountChange,
  type AccountReport,
  type ExternalIdentity,
  type SourceName,
} from '#persistence';
import type { Account } from '../account';
import { AccountDirectory } from '../account-directory';
import { parseDisplayName, parseEmail, parseUserId } from '../account-rules';
import { unknownPassword } from '../password-hasher';
import { ProvisioningFailed } from '../provisioning-failed';
import { candidates, userIdFrom } from './free-name';
import type { IdentitySource, PersonOfSource } from './identity-source';

const MAX_SUBJECT_CHARACTERS = 255;

/**
 * Accounts of sources: OpenID Connect, LDAP and SCIM alike. The stable id at the source identifies the account, so that a
 * renamed or reused name never reaches the files of another account. Throws ProvisioningFailed.
 */
@Injectable()
export class SourceAccounts {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly identities: ExternalIdentityRepository,
    private readonly states: AccountStateRepository,
    private readonly directory: AccountDirectory,
  ) {}

  /** The identity with this id at the source. */
  async find(source: SourceName, subject: string): Promise<ExternalIdentity | undefined> {
    return this.identities.find(source, subject);
  }

  /** The identity of an account at a source; undefined if it has none there. */
  async ofAccount(source: SourceName, uid: string): Promise<ExternalIdentity | undefined> {
    return this.identities.ofAccount(source, uid);
  }

  /** All identities of a source, in order of their ids there. */
  async list(source: SourceName): Promise<readonly ExternalIdentity[]> {
    return this.identities.list(source);
  }

  /**
   * The user id of a person's account, which is made if it is new.
   * @throws ProvisioningFailed `user-id-refused` and `user-exists`, if none can be made from the name; and for invalid fields
   */
  async make(source: IdentitySource, person: PersonOfSource): Promise<string> {
    const known = await this.find(source, person.subject);
    return known ? known.uid : this.create(source, person);
  }

  /**
   * The account of a person, which is made or updated.
   * @param admitted of a source that admits the person and tells of one at a time; otherwise the account is neither enabled nor disabled
   * @throws ProvisioningFailed as `make` does
   */
  async keep(
    source: IdentitySource,
    person: PersonOfSource,
    admitted?: AccountReport['admitted'],
  ): Promise<Account> {
    const uid = await this.make(source, person);
    const report = { account: valuesOf(uid, person), managedFields: source.manages, admitted };
    await this.identities.follow(source, uid, report);
    this.directory.changed(uid);
    const account = await this.directory.find(uid);
    if (!account) throw new ProvisioningFailed('user-unknown', 'The requested user could not be found');
    return account;
  }

  /**
   * Disables the account of a person because the source does. Sessions, app passwords and shares behave as when an administrator
   * does so. An account that an administrator disabled stays theirs. While its end waits, this is noted for an undo.
   * @returns whether it was enabled
   */
  async disable(source: SourceName, subject: string): Promise<boolean> {
    const identity = await this.find(source, subject);
    if (!identity) return false;
    const wasEnabled = await this.states.disableBy(source, identity.uid);
    if (wasEnabled) this.directory.changed(identity.uid);
    return wasEnabled;
  }

  /** Disables the account of a person whom the source does not admit, unless this was told before something newer. */
  async refuse(source: SourceName, uid: string, at: Date): Promise<void> {
    await this.identities.refuse(source, uid, at);
    this.directory.changed(uid);
  }

  /**
   * Enables the account again, unless an administrator disabled it, its end was requested, or another source has disabled it, too.
   * @returns whether it was disabled
   */
  async enable(source: SourceName, subject: string): Promise<boolean> {
    const identity = await this.find(source, subject);
    if (!identity) return false;
    const isNew = await this.states.enableBy(source, identity.uid);
    if (isNew) this.directory.changed(identity.uid);
    return isNew;
  }

  /**
   * Links an existing account to a person of a source: for operators, who know that both are the same.
   * @throws ProvisioningFailed `user-unknown`; `user-exists` if the account or the person already has a link
   */
  async attach(source: IdentitySource, subject: string, uid: string): Promise<void> {
    const account = await this.directory.find(uid);
    if (!account) throw new ProvisioningFailed('user-unknown', 'The requested user could not be found');
    assertSubject(subject);
    const identity = { subject, uid: account.uid, managedFields: source.manages };
    if (!(await this.identities.attach(source, identity)))
      throw new ProvisioningFailed('user-exists', 'The account or the identity has another one already');
    this.directory.changed(account.uid);
  }

  /** Removes the link between a source and this account, which then belongs to the instance alone. @returns whether there was one */
  async detach(source: SourceName, uid: string): Promise<boolean> {
    const wasKnown = await this.identities.detach(source, uid);
    this.directory.changed(uid);
    return wasKnown;
  }

  private async create(source: IdentitySource, person: PersonOfSource): Promise<string> {
    assertSubject(person.subject);
    const wanted = parseUserId(userIdFrom(person.name));
    for (const uid of source.takenNames === 'suffix' ? candidates(wanted) : [wanted]) {
      const made = await this.createAs(source, person, uid);
      if (made === 'created') return uid;
      if (made === 'known') return (await this.find(source, person.subject))!.uid;
    }
    throw new ProvisioningFailed('user-exists', `The user id ${wanted} is another account's`);
  }

  private async createAs(source: IdentitySource, person: PersonOfSource, uid: string) {
    if (await this.accounts.find(uid)) return 'uid-taken' as const;
    return this.identities.create(
      {
        uid,
        displayName: parseDisplayName(person.displayName ?? '', uid),
        email: parseEmail(person.email ?? ''),
        passwordHash: unknownPassword(),
        groups: [],
      },
      source,
      { subject: person.subject, managedFields: source.manages },
    );
  }
}

/** @throws ProvisioningFailed for invalid fields */
function valuesOf(uid: string, { displayName, email, quotaBytes }: PersonOfSource): AccountChange {
  return {
    displayName: displayName === undefined ? undefined : parseDisplayName(displayName, uid),
    email: email === undefined ? undefined : parseEmail(email),
    quotaBytes,
  };
}

function assertSubject(subject: string): void {
  if (subject === '' || subject.length > MAX_SUBJECT_CHARACTERS || /[\p{Cc}\p{Cs}]/u.test(subject))
    throw new ProvisioningFailed('user-id-refused', 'The id at the source is none that an account can have');
}
