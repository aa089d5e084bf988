import { Inject, Injectable } from '@nestjs/common';
import { CallBudgetRepository, type Budget } from '#persistence';
import { boundedCache, CONFIG, networkOf, type Config } from '#platform';
import { BudgetSpent, SharedBudgets } from './shared-budgets';

const REMEMBERED_SECRETS = 50_000;
const REMEMBER_MS = 60_000;

/**
 * Limits calls without an account, for all replicas together. A caller with the secret of a share counts as its partner and
 * spends that partner's budget, from any address: no other caller at the same address can use it up. All others
 * spend their address's budgets: one for calls, and a much smaller one for failures. The latter never blocks a caller with a
 * valid secret.
 */
@Injectable()
export class CallLimits {
  private readonly budgets: SharedBudgets;
  private readonly calls: Budget;
  private readonly failures: Budget;
  private readonly partnerCalls: Budget;
  /** Partners by the lookup keys of their valid secrets, in base64. */
  private readonly proven = boundedCache<number>(REMEMBERED_SECRETS, REMEMBER_MS);

  constructor(
    private readonly repository: CallBudgetRepository,
    @Inject(CONFIG) config: Config,
  ) {
    this.budgets = new SharedBudgets(repository);
    this.calls = aMinuteOf(config.CALLS_PER_MINUTE);
    this.failures = aMinuteOf(config.FAILED_CALLS_PER_MINUTE);
    this.partnerCalls = aMinuteOf(config.PARTNER_CALLS_PER_MINUTE);
  }

  /** A call for public information. @throws BudgetSpent */
  call(address: string): Promise<void> {
    return this.budgets.spend(`calls:${networkOf(address)}`, 1, this.calls);
  }

  /** A call without proof that requests something: accepted as long as its address did not fail too often. @throws BudgetSpent */
  async unprovenCall(address: string): Promise<void> {
    this.assertMayFail(address);
    await this.call(address);
  }

  /**
   * A message about a share. It counts as its partner's if it contains the share's secret.
   * @param secretHmac lookup key of the secret; undefined for none
   * @returns whether it counts as its partner's
   * @throws BudgetSpent
   */
  async message(address: string, shareId: string, secretHmac: Buffer | undefined): Promise<boolean> {
    const hostId = secretHmac && (await this.hostOf(shareId, secretHmac));
    if (hostId === undefined) await this.unprovenCall(address);
    else await this.partnerCall(hostId);
    return hostId !== undefined;
  }

  /** A call whose sender is proven to be a partner at this host. @throws BudgetSpent */
  partnerCall(hostId: number): Promise<void> {
    return this.budgets.spend(`messages:${hostId}`, 1, this.partnerCalls);
  }

  /** A partner reads or writes content of a share. @throws BudgetSpent */
  access(partner: string): Promise<void> {
    return this.budgets.spend(`access:${partner}`, 1, this.partnerCalls);
  }

  /** A user causes a request to another server, at an address of their choice. @throws BudgetSpent */
  foreignLink(uid: string): Promise<void> {
    return this.budgets.spend(`foreign-links:${uid}`, 1, FOREIGN_LINKS);
  }

  /** A search for a mail address causes a question to its domain. @throws BudgetSpent */
  async mailLookup(uid: string, domain: string): Promise<void> {
    await this.budgets.spend(`mail-lookups:${uid}`, 1, MAIL_LOOKUPS);
    await this.budgets.spend(`mail-lookups-at:${domain}`, 1, MAIL_LOOKUPS_AT_DOMAIN);
  }

  /** A user asks somebody at another server for a share. @throws BudgetSpent */
  shareRequest(uid: string): Promise<void> {
    return this.budgets.spend(`share-requests:${uid}`, 1, SHARE_REQUESTS);
  }

  /** A user opens a web application at another server, which exchanges a secret. @throws BudgetSpent */
  webapp(uid: string): Promise<void> {
    return this.budgets.spend(`webapps:${uid}`, 1, WEBAPPS);
  }

  /** The holder of an invitation causes a request to another server, at an address of their choice. @throws BudgetSpent */
  invited(invitationId: number): Promise<void> {
    return this.budgets.spend(`invited:${invitationId}`, 1, FOREIGN_LINKS);
  }

  /** A call of a SCIM client. @throws BudgetSpent */
  scimCall(clientId: number): Promise<void> {
    return this.budgets.spend(`scim:${clientId}`, 1, SCIM_CALLS);
  }

  /** A client requests an app password. @throws BudgetSpent */
  loginFlow(address: string): Promise<void> {
    return this.budgets.spend(`login-flows:${networkOf(address)}`, 1, LOGIN_FLOWS);
  }

  /** @throws BudgetSpent if calls of this address failed too often */
  assertMayFail(address: string): void {
    this.budgets.assertLeft(failuresAt(address));
  }

  /** Counts a failed call. @returns seconds to wait if there were too many */
  async failed(address: string): Promise<number | undefined> {
    try {
      await this.budgets.spend(failuresAt(address), 1, this.failures);
      return undefined;
    } catch (error) {
      if (error instanceof BudgetSpent) return error.retryAfterSeconds;
      throw error;
    }
  }

  private async hostOf(shareId: string, secretHmac: Buffer): Promise<number | undefined> {
    const key = `${secretHmac.toString('base64')} ${shareId.slice(0, 64)}`;
    const known = this.proven.get(key);
    if (known !== undefined) return known;
    const hostId = await this.repository.hostOfSecret(shareId, secretHmac);
    if (hostId !== undefined) this.proven.set(key, hostId);
    return hostId;
  }
}

const failuresAt = (address: string): string => `failures:${networkOf(address)}`;
const aMinuteOf = (perMinute: number): Budget => ({ capacity: perMinute, perSecond: perMinute / 60 });

/** Limits guessing of passwords of other servers' links from here. */
const FOREIGN_LINKS = aMinuteOf(20);
const WEBAPPS = aMinuteOf(30);

/** Thirty at once, as somebody who types finds domains that begin theirs, and five a minute. */
const MAIL_LOOKUPS: Budget = { capacity: 30, perSecond: 5 / 60 };

/** Limits all people together. */
const MAIL_LOOKUPS_AT_DOMAIN = aMinuteOf(60);

/** Twenty at once, and two a minute. */
const SHARE_REQUESTS: Budget = { capacity: 20, perSecond: 2 / 60 };

/** Enough for a directory of ten thousand people in ten minutes. */
const SCIM_CALLS = aMinuteOf(1200);

/** Limited because each keeps a row for twenty minutes. */
const LOGIN_FLOWS = aMinuteOf(60);
