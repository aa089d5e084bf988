import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { ExternalIdentityRepository } from '#persistence';
import { CONFIG, type Config } from '#platform';
import type { Account } from '../account';
import { AuthenticationFailed } from '../authentication-failed';
import { FairQueue } from '../fair-queue';
import { LdapFailure, type LdapConnection } from './ldap-connection';
import { LdapDirectory } from './ldap-directory';
import { ldapSettings, type LdapConfig } from './ldap-settings';

/** Maximum of passwords that one process checks at the directory at once. */
const AT_ONCE = 8;
const RETRY_SECONDS = 10;
/** Client name in the queue for passwords that were right before. */
const KNOWN = '';

/** Passwords of accounts whose people sign in at the directory. The directory checks them, and they are not stored here. */
@Injectable()
export class LdapPasswords {
  private readonly directory: LdapDirectory | undefined;
  private readonly queue: FairQueue;

  constructor(
    private readonly identities: ExternalIdentityRepository,
    @Inject(CONFIG) config: LdapConfig & Pick<Config, 'PASSWORD_QUEUE'>,
  ) {
    const settings = ldapSettings(config);
    this.directory = settings && new LdapDirectory(settings);
    this.queue = new FairQueue(AT_ONCE, config.PASSWORD_QUEUE);
  }

  get isConfigured(): boolean {
    return this.directory !== undefined;
  }

  /** Whether the directory checks the password of an account. */
  keeps({ sources }: Pick<Account, 'sources'>): boolean {
    return this.directory !== undefined && sources.includes(`ldap:${this.directory.source.source}`);
  }

  /**
   * Whether this is the password of an account in the directory. Without an account there, the directory is asked about
   * a person who does not
   * exist, so that the answer takes as long and fails in the same way.
   * @param network origin of the request: each network has a maximum of waiting requests
   * @throws AuthenticationFailed `busy` while the directory does not answer, or too many requests wait
   */
  async verify(account: Account | undefined, password: string, network: string): Promise<boolean> {
    if (!this.directory) return false;
    try {
      return await this.queue.run(network, () => this.bind(account, password));
    } catch (error) {
      throw error instanceof LdapFailure ? new AuthenticationFailed('busy', RETRY_SECONDS) : error;
    }
  }

  /** The same for a password that was right before; `unknown` while the directory does not answer. */
  async ask(account: Account, password: string): Promise<'right' | 'wrong' | 'unknown'> {
    try {
      return (await this.verify(account, password, KNOWN)) ? 'right' : 'wrong';
    } catch (error) {
      if (error instanceof AuthenticationFailed) return 'unknown';
      throw error;
    }
  }

  private async bind(account: Account | undefined, password: string): Promise<boolean> {
    const directory = this.directory!;
    const subject = (account && (await this.subjectOf(account))) ?? randomUUID();
    return directory.servers.with(async (connection: LdapConnection) => {
      const dn = await directory.nameOf(connection, subject);
      const isRight = await connection.isPasswordOf(dn ?? directory.nameOfNobody(), password);
      return isRight && dn !== undefined;
    });
  }

  private async subjectOf(account: Account): Promise<string | undefined> {
    return (await this.identities.ofAccount(this.directory!.source, account.uid))?.subject;
  }
}
