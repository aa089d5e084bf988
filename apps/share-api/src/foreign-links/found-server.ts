import { Inject, Injectable } from '@nestjs/common';
import { CloudIdInvalid, parseCloudId, peerKeyOf } from '#federation/protocol';
import { BudgetSpent, CallLimits } from '#identity';
import { PeerRepository, type PeerRow } from '#persistence';
import { CONFIG, type Config } from '#platform';
import { PeerInquiries, QueueAway } from '#queue';
import { CachedPolicy } from '#settings';
import { dealsWith, partnerNamed } from '#sharing';

/** Finds out for users with which scheme another server is reached. */
@Injectable()
export class FoundServer {
  constructor(
    private readonly policy: CachedPolicy,
    private readonly peers: PeerRepository,
    private readonly inquiries: PeerInquiries,
    private readonly limits: CallLimits,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** @returns false for an address without a sharing server, or with a forbidden one */
  async schemeOf(uid: string, remote: string): Promise<'https' | 'http' | false> {
    try {
      const hostKey = peerKeyOf(parseCloudId(`anybody@${remote}`));
      const partner = partnerNamed(hostKey, await this.peers.regarded(hostKey));
      if (!dealsWith(await this.policy.current(), partner)) return false;
      await this.limits.foreignLink(uid);
      const peer = await this.inquiries.profileOf(hostKey, this.config.FEDERATION_SYNC_WAIT);
      return peer ? schemeIn(peer) : false;
    } catch (error) {
      const isNo =
        error instanceof CloudIdInvalid || error instanceof BudgetSpent || error instanceof QueueAway;
      if (isNo) return false;
      throw error;
    }
  }
}

function schemeIn({ pinnedProfile, profile }: PeerRow): 'https' | 'http' | false {
  const { baseUrl } = (pinnedProfile ?? profile ?? {}) as { readonly baseUrl?: unknown };
  if (typeof baseUrl !== 'string') return false;
  return baseUrl.startsWith('https:') ? 'https' : 'http';
}
