import { Inject, Injectable } from '@nestjs/common';
import { parseCloudId, type FederatedCloudId, type MailAddress } from '#federation/protocol';
import { BudgetSpent, CallLimits } from '#identity';
import { ShareeRepository } from '#persistence';
import { CONFIG, PublicAddress, type Config } from '#platform';
import { MailLookups } from '#queue';
import { CachedPolicy } from '#settings';
import type { SearchShareesPorts } from '#sharing';

/** A search waits no longer for another server: the next one finds the result that came later. */
const MAX_WAIT_MS = 3000;

/** Ports of the search for recipients. */
@Injectable()
export class ServerShareePorts implements SearchShareesPorts {
  constructor(
    readonly policy: CachedPolicy,
    readonly directory: ShareeRepository,
    private readonly address: PublicAddress,
    private readonly lookups: MailLookups,
    private readonly limits: CallLimits,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  isOwnDomain(domain: string): boolean {
    const { host, hostname } = new URL(this.address.url);
    const folded = domain.toLowerCase();
    return folded === host || folded === hostname;
  }

  /** undefined also for people who asked for too many addresses. */
  async accountOf(uid: string, mail: MailAddress): Promise<FederatedCloudId | undefined> {
    const spend = (): Promise<void> => this.limits.mailLookup(uid, mail.domain);
    const waitMs = Math.min(this.config.FEDERATION_SYNC_WAIT, MAX_WAIT_MS);
    try {
      const cloudId = await this.lookups.find(mail.text, spend, waitMs);
      return cloudId === undefined ? undefined : parseCloudId(cloudId);
    } catch (error) {
      if (error instanceof BudgetSpent) return undefined;
      throw error;
    }
  }
}
