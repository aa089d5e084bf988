import { Injectable } from '@nestjs/common';
import { AccountRepository, ChangeFeed, FreshCache } from '#persistence';
import { accountOf, type Account } from './account';

const CACHED_ACCOUNTS = 20_000;

/** Accounts by id, kept in memory under the rule of freshness. */
@Injectable()
export class AccountDirectory {
  private readonly cache: FreshCache<Account>;

  constructor(
    private readonly accounts: AccountRepository,
    private readonly feed: ChangeFeed,
  ) {
    this.cache = new FreshCache(feed, {
      max: CACHED_ACCOUNTS,
      topic: 'account',
      keyOf: (uid) => uid.toLowerCase(),
    });
  }

  /** The account if it is in memory and fresh. */
  peek(uid: string): Account | undefined {
    return this.cache.get(uid.toLowerCase());
  }

  /** Finds by id, regardless of case. */
  async find(uid: string): Promise<Account | undefined> {
    return this.cache.read(uid.toLowerCase(), async () => {
      const row = await this.accounts.find(uid);
      return row && accountOf(row);
    });
  }

  /** The same, always read from the database. */
  async findAnew(uid: string): Promise<Account | undefined> {
    const { readAt, generation } = this.cache.mark();
    const row = await this.accounts.find(uid);
    const account = row && accountOf(row);
    if (account) this.cache.keep(account.uid.toLowerCase(), account, readAt, generation);
    return account;
  }

  /** Accounts with exactly these ids, by id: one statement for all that are not in memory, none if all are. */
  async findMany(uids: Iterable<string>): Promise<Map<string, Account>> {
    const found = new Map<string, Account>();
    const missing: string[] = [];
    for (const uid of new Set(uids)) {
      const account = this.peek(uid);
      if (account) found.set(uid, account);
      else missing.push(uid);
    }
    if (missing.length === 0) return found;
    const { readAt, generation } = this.cache.mark();
    for (const row of await this.accounts.findMany(missing)) {
      const account = accountOf(row);
      found.set(account.uid, account);
      this.cache.keep(account.uid.toLowerCase(), account, readAt, generation);
    }
    return found;
  }

  /** Called by code that changed an account in this process: the next read uses the database. */
  changed(uid: string): void {
    this.feed.announceLocally('account', uid);
  }
}
