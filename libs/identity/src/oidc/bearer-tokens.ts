import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Strength } from '#persistence';
import { boundedCache, CONFIG, networkOf, type Config } from '#platform';
import type { Account } from '../account';
import { AccountDirectory } from '../account-directory';
import { AuthenticationFailed } from '../authentication-failed';
import { FairQueue } from '../fair-queue';
import { LastLogins } from '../sign-in/last-logins';
import { claimedStrength } from './claimed-strength';
import { OidcAccounts } from './oidc-accounts';
import { TokenClaims } from './token-claims';
import { TrustedIssuer } from './trusted-issuer';

const REMEMBERED = 20_000;
const REFUSED_MS = 10_000;
const CHECKS_AT_ONCE = 16;
const CHECKS_WAITING = 400;

/** A token in memory. */
interface Known {
  readonly uid: string;
  /** Id of the person at the issuer. */
  readonly subject: string;
  readonly strength: Strength;
  /** Time of its creation by the issuer's clock, in seconds since 1970. */
  readonly issuedAt: number;
  /** Time until which it is not checked again, in milliseconds since 1970. */
  readonly until: number;
}

/** An account that signed in with a token. */
interface TokenSignIn {
  readonly account: Account;
  readonly strength: Strength;
}

/** Access tokens of the issuer, checked once and then recognised until they end. Memory contains only their digests. */
@Injectable()
export class BearerTokens {
  private readonly tokens: TokenClaims | undefined;
  private readonly known = boundedCache<Known>(REMEMBERED);
  private readonly refused = boundedCache<true>(REMEMBERED, REFUSED_MS);
  private readonly underWay = new Map<string, Promise<TokenSignIn>>();
  private readonly queue = new FairQueue(CHECKS_AT_ONCE, CHECKS_WAITING);

  constructor(
    private readonly trusted: TrustedIssuer,
    private readonly accounts: OidcAccounts,
    private readonly directory: AccountDirectory,
    private readonly lastLogins: LastLogins,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    const { issuer, settings } = trusted;
    this.tokens = issuer && settings && new TokenClaims(issuer, settings, config);
  }

  /** Whether tokens are accepted at all. */
  get areTaken(): boolean {
    return this.tokens !== undefined;
  }

  /** The account of a token that was checked before; undefined if memory is not enough. */
  recognise(token: string): TokenSignIn | undefined {
    const found = this.known.get(digestOf(token));
    const account = found && found.until > Date.now() ? this.directory.peek(found.uid) : undefined;
    return account?.enabled && this.isOf(account, found!)
      ? { account, strength: found!.strength }
      : undefined;
  }

  /**
   * The account of a valid token.
   * @param address origin of the request: each network has a maximum of waiting checks
   * @throws AuthenticationFailed `wrong`, `disabled`; `busy` while the issuer cannot be asked
   */
  async check(token: string, address: string): Promise<TokenSignIn> {
    const digest = digestOf(token);
    if (!this.tokens || this.refused.has(digest)) throw new AuthenticationFailed('wrong');
    const known = this.known.get(digest);
    if (known && known.until > Date.now()) return this.signInOf(known);
    const shared = this.underWay.get(digest);
    if (shared) return shared;
    const checking = this.queue
      .run(networkOf(address), () => this.admit(digest, token))
      .finally(() => this.underWay.delete(digest));
    this.underWay.set(digest, checking);
    return checking;
  }

  private async admit(digest: string, token: string): Promise<TokenSignIn> {
    try {
      const { claims, issuedAt, until } = await this.tokens!.read(token);
      const { account, subject } = await this.accounts.admit(claims, issuedAt);
      const strength = claimedStrength(claims, this.config.OIDC_SECOND_FACTOR_ACR);
      this.known.set(digest, { uid: account.uid, subject, strength, issuedAt, until });
      await this.lastLogins.noteOnceADay(account);
      return { account, strength };
    } catch (error) {
      if (error instanceof AuthenticationFailed && error.reason === 'wrong') this.refused.set(digest, true);
      throw error;
    }
  }

  private async signInOf(known: Known): Promise<TokenSignIn> {
    const account = await this.directory.find(known.uid);
    if (!account || !this.isOf(account, known)) throw new AuthenticationFailed('wrong');
    if (!account.enabled) throw new AuthenticationFailed('disabled');
    return { account, strength: known.strength };
  }

  /** Whether the account still belongs to that person, who has not signed out since. A user id may have moved to another account. */
  private isOf({ identities }: Account, { subject, issuedAt }: Known): boolean {
    const name = this.trusted.issuer!.name;
    const found = identities.find((one) => one.kind === 'oidc' && one.source === name);
    return found?.subject === subject && issuedAt > (found.signedOutAt ?? 0);
  }
}

const digestOf = (token: string): string => hash('sha256', token, 'base64');
