import { Injectable } from '@nestjs/common';
import { AccountRepository } from '#persistence';
import type { Account } from '../account';
import { AccountDirectory } from '../account-directory';

const DAY_MS = 86_400_000;

/** Times at which accounts signed in. */
@Injectable()
export class LastLogins {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly directory: AccountDirectory,
  ) {}

  async note({ uid }: Account): Promise<void> {
    await this.accounts.touchLogin(uid);
    this.directory.changed(uid);
  }

  /** Used for sign-ins that are verified with every request. */
  async noteOnceADay(account: Account): Promise<void> {
    if (Date.now() - (account.lastLoginAt?.getTime() ?? 0) >= DAY_MS) await this.note(account);
  }
}
