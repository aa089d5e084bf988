import { Inject, Injectable } from '@nestjs/common';
import { CloudIdInvalid, localCloudId, parseCloudId, peerKeyOf } from '#federation/protocol';
import { CONFIG, PublicAddress, type Config } from '#platform';
import { Verdicts } from '#queue';
import type { Partners, PartnerVerdict, RemoteRecipient } from '#sharing';

/** Partners as sharing asks for them: the worker speaks to them, and what it learns is waited for. */
@Injectable()
export class QueuedPartners implements Partners {
  constructor(
    private readonly verdicts: Verdicts,
    private readonly address: PublicAddress,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  recipient(text: string): RemoteRecipient | undefined {
    try {
      const cloudId = parseCloudId(text);
      const hostKey = peerKeyOf(cloudId);
      const isHere = hostKey === peerKeyOf(localCloudId('anybody', this.address.url));
      return {
        written: cloudId.raw.replace(/\/+$/, ''),
        canonical: cloudId.canonical,
        hostKey,
        localUid: isHere ? cloudId.user : undefined,
      };
    } catch (error) {
      if (error instanceof CloudIdInvalid) return undefined;
      throw error;
    }
  }

  /** Holds no database connection while it waits. */
  async verdict(offerId: number): Promise<PartnerVerdict> {
    const verdict = await this.verdicts.wait(offerId, this.config.FEDERATION_SYNC_WAIT);
    if (verdict?.state === 'delivered') return { kind: 'taken' };
    if (verdict?.state === 'refused') return { kind: 'refused', words: verdict.message ?? '' };
    return verdict?.state === 'dead' ? { kind: 'not-found' } : { kind: 'later' };
  }
}
