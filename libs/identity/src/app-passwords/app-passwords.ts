import { Injectable } from '@nestjs/common';
import {
  AppPasswordRepository,
  ChangeFeed,
  type AppPasswordChoice,
  type AppPasswordRow,
  type LiveAppPassword,
  type Strength,
} from '#persistence';
import { SecretBox } from '#platform';
import { AppPasswordRefused } from './app-password-refused';
import { lookupTextOf, newAppPassword } from './app-password-secret';

/** A new app password. Its secret is shown once and stored nowhere. */
export interface CreatedAppPassword {
  readonly id: number;
  readonly secret: string;
}

/** Manages the app passwords of accounts. Throws AppPasswordRefused. */
@Injectable()
export class AppPasswords {
  constructor(
    private readonly appPasswords: AppPasswordRepository,
    private readonly secrets: SecretBox,
    private readonly feed: ChangeFeed,
  ) {}

  /**
   * Fails with too-many.
   * @param strength of the present sign-in
   */
  async create(uid: string, choice: AppPasswordChoice, strength: Strength): Promise<CreatedAppPassword> {
    const secret = newAppPassword();
    const id = await this.appPasswords.create(uid, this.hashOf(secret), choice, strength);
    if (id === undefined)
      throw new AppPasswordRefused('too-many', 'There are too many app passwords: revoke some first');
    return { id, secret };
  }

  /** All app passwords of an account, the newest first; expired ones are listed for a while. */
  async list(uid: string): Promise<readonly AppPasswordRow[]> {
    return this.appPasswords.list(uid);
  }

  /** Fails with unknown. */
  async change(uid: string, id: number, choice: AppPasswordChoice): Promise<void> {
    this.forget(await this.appPasswords.change(uid, id, choice));
  }

  /** Fails with unknown. */
  async revoke(uid: string, id: number): Promise<void> {
    this.forget(await this.appPasswords.revoke(uid, id));
  }

  /** @returns how many there were */
  async revokeAll(uid: string): Promise<number> {
    const hashes = await this.appPasswords.revokeAll(uid);
    for (const hash of hashes) this.forget(hash);
    return hashes.length;
  }

  /** Replaces the secret of an app password. Fails with unknown. @returns the new secret */
  async rotate({ uid, id }: Pick<LiveAppPassword, 'uid' | 'id'>): Promise<string> {
    const secret = newAppPassword();
    this.forget(await this.appPasswords.replaceSecret(uid, id, this.hashOf(secret)));
    return secret;
  }

  /** Removes a hash from this process's memory, before all processes are told. */
  private forget(hash: Buffer | undefined): void {
    if (!hash) throw new AppPasswordRefused('unknown', 'There is no such app password');
    this.feed.announceLocally('app-password', hash.toString('base64'));
  }

  private hashOf(secret: string): Buffer {
    return this.secrets.lookup(lookupTextOf(secret));
  }
}
