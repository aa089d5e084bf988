import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LoginFlowRepository, type Strength, type WaitingLoginFlow } from '#persistence';
import { actAs, SecretBox } from '#platform';
import { AccountDirectory } from '../account-directory';
import { choiceOfClient } from '../app-passwords/app-password-choice';
import { AppPasswords } from '../app-passwords/app-passwords';

const TOKEN_BYTES = 48;
const TOKEN = /^[\w-]{64}$/;

/** Tokens of a client's new request: one for the browser, one for itself. */
export interface BegunLoginFlow {
  readonly loginToken: string;
  readonly pollToken: string;
}

/**
 * Login flow version 2 of Nextcloud's clients: a client begins, a user grants it an app password in a browser, and the client
 * fetches that. The app password is made when it is fetched, so that no secret waits in the database.
 */
@Injectable()
export class LoginFlows {
  constructor(
    private readonly flows: LoginFlowRepository,
    private readonly appPasswords: AppPasswords,
    private readonly directory: AccountDirectory,
    private readonly secrets: SecretBox,
  ) {}

  /** @param client the client's own name */
  async begin(client: string | undefined, address: string): Promise<BegunLoginFlow> {
    const [loginToken, pollToken] = [newToken(), newToken()];
    await this.flows.begin({
      loginHash: this.hashOf('login', loginToken),
      pollHash: this.hashOf('poll', pollToken),
      client: choiceOfClient(client).name,
      address,
    });
    return { loginToken, pollToken };
  }

  /** The waiting client of this address; undefined for none. */
  async find(loginToken: string): Promise<WaitingLoginFlow | undefined> {
    return TOKEN.test(loginToken) ? this.flows.findWaiting(this.hashOf('login', loginToken)) : undefined;
  }

  /** @returns whether the client was waiting */
  async grant(
    loginToken: string,
    answer: { readonly uid: string; readonly readOnly: boolean; readonly strength: Strength },
  ): Promise<boolean> {
    return TOKEN.test(loginToken) && this.flows.grant(this.hashOf('login', loginToken), answer);
  }

  /** The app password for a client whose request was granted; once. @throws AppPasswordRefused `too-many` */
  async fetch(pollToken: string): Promise<{ readonly uid: string; readonly secret: string } | undefined> {
    const granted = TOKEN.test(pollToken) ? await this.flows.take(this.hashOf('poll', pollToken)) : undefined;
    // An account that was just disabled in another process may still be enabled in memory.
    const account = granted && (await this.directory.findAnew(granted.uid));
    if (!account?.enabled) return undefined;
    actAs({ kind: 'user', uid: account.uid });
    const choice = { ...choiceOfClient(granted!.client), readOnly: granted!.readOnly };
    const { secret } = await this.appPasswords.create(account.uid, choice, granted!.strength);
    return { uid: account.uid, secret };
  }

  private hashOf(purpose: 'login' | 'poll', token: string): Buffer {
    return this.secrets.lookup(`token of a login flow for ${purpose}\n${token}`);
  }
}

const newToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url');
