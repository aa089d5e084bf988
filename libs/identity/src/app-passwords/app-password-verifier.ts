import { hash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  AppPasswordRepository,
  ChangeFeed,
  FreshCache,
  type LiveAppPassword,
  type Strength,
} from '#persistence';
import { Batching, boundedCache, SecretBox } from '#platform';
import type { Account } from '../account';
import { AccountDirectory } from '../account-directory';
import { AuthenticationFailed } from '../authentication-failed';
import { LastLogins } from '../sign-in/last-logins';
import { lookupTextOf } from './app-password-secret';

const REMEMBERED = 20_000;
/** Minimum time between two stored notes of use. */
const NOTED_EVERY_SECONDS = 300;
/** Maximum of app passwords whose use one statement notes. */
const NOTED_TOGETHER = 500;

/** An app password in memory. */
interface Known extends LiveAppPassword {
  /** Time from which its next use is noted, in milliseconds since 1970. */
  noteFrom: number;
}

/** An account that signed in with an app password. */
export interface AppPasswordSignIn {
  readonly account: Account;
  readonly appPassword: LiveAppPassword;
  readonly strength: Strength;
}

/**
 * Finds app passwords by their keyed hash: one statement for the first request, none for later ones, under the rule of
 * freshness. They are random, so no slow hash is needed, and a right one is accepted after any number of failures.
 */
@Injectable()
export class AppPasswordVerifier {
  private readonly cache: FreshCache<Known>;
  /** Keyed hashes of right app passwords, by a digest that is ten times faster. Its key keeps app passwords out of memory. */
  private readonly keys = boundedCache<string>(REMEMBERED);
  private readonly notes: Batching<number, void>;
  private readonly digestKey = randomBytes(32).toString('hex');

  constructor(
    private readonly appPasswords: AppPasswordRepository,
    private readonly directory: AccountDirectory,
    private readonly lastLogins: LastLogins,
    private readonly secrets: SecretBox,
    feed: ChangeFeed,
  ) {
    this.cache = new FreshCache(feed, { max: REMEMBERED, topic: 'app-password' });
    this.notes = new Batching((ids) => this.note(ids), NOTED_TOGETHER);
  }

  /** The same as `verify`, if memory is enough. */
  recognise(uid: string | undefined, secret: string): AppPasswordSignIn | undefined {
    const key = this.keys.get(this.digestOf(secret));
    const appPassword = key === undefined ? undefined : this.cache.get(key);
    if (!appPassword || !isOf(appPassword, uid) || isOver(appPassword) || appPassword.noteFrom <= Date.now())
      return undefined;
    const account = this.directory.peek(appPassword.uid);
    return account?.enabled ? { account, appPassword, strength: appPassword.strength } : undefined;
  }

  /**
   * The account of a right app password; notes its use.
   * @param uid user id that was sent with it; undefined for none
   * @throws AuthenticationFailed `disabled`
   */
  async verify(uid: string | undefined, secret: string): Promise<AppPasswordSignIn | undefined> {
    const lookup = this.secrets.lookup(lookupTextOf(secret));
    const key = lookup.toString('base64');
    const appPassword = await this.cache.read(key, () => this.load(lookup));
    if (!appPassword || !isOf(appPassword, uid) || isOver(appPassword)) return undefined;
    this.keys.set(this.digestOf(secret), key);
    const account = await this.directory.find(appPassword.uid);
    if (!account) return undefined;
    if (!account.enabled) throw new AuthenticationFailed('disabled');
    await this.noteUse(appPassword, account);
    return { account, appPassword, strength: appPassword.strength };
  }

  private async load(lookup: Buffer): Promise<Known | undefined> {
    const found = await this.appPasswords.find(lookup);
    return found && { ...found, noteFrom: (found.usedAt?.getTime() ?? 0) + NOTED_EVERY_SECONDS * 1000 };
  }

  private async noteUse(appPassword: Known, account: Account): Promise<void> {
    if (appPassword.noteFrom > Date.now()) return;
    // Set before the statement, so that simultaneous requests note it once.
    appPassword.noteFrom = Date.now() + NOTED_EVERY_SECONDS * 1000;
    await this.notes.submit(appPassword.id);
    await this.lastLogins.noteOnceADay(account);
  }

  private async note(ids: readonly number[]): Promise<readonly void[]> {
    await this.appPasswords.noteUse(ids, NOTED_EVERY_SECONDS);
    return ids.map(() => undefined);
  }

  private digestOf(secret: string): string {
    return hash('sha256', `${this.digestKey}\n${secret}`, 'base64');
  }
}

const isOf = (appPassword: LiveAppPassword, uid: string | undefined): boolean =>
  uid === undefined || uid.toLowerCase() === appPassword.uid.toLowerCase();

const isOver = ({ expiresAt }: LiveAppPassword): boolean =>
  expiresAt !== null && expiresAt.getTime() <= Date.now();
