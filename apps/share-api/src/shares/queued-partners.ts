import { Inject, Injectable } from '@nestjs/common';
import { CloudIdInvalid, localCloudId, namesOf, parseCloudId, peerKeyOf } from '#federation/protocol';
import { ContactRepository } from '#persistence';
import { CONFIG, PublicAddress, type Config } from '#platform';
import { Verdicts } from '#queue';
import type { Partners, PartnerStanding, PartnerVerdict, RemoteRecipient } from '#sharing';

/** Partners as sharing asks for them: the worker speaks to them, and what it learns is waited for. */
@Injectable()
export class QueuedPartners implements Partners {
  constructor(
    private readonly verdicts: Verdicts,
    private readonly contacts: ContactRepository,
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

  async standing(uid: string, { hostKey, written }: RemoteRecipient): Promise<PartnerStanding> {
    return { hostKey, ...(await this.contacts.standing(uid, hostKey, namesOf(parseCloudId(written)))) };
  }

  /** Holds no database connection while it waits. */
  async verdict(offerId: number): Promise<PartnerVerdict> {
    const until = Date.now() + this.config.FEDERATION_SYNC_WAIT;
    let verdict = await this.verdicts.wait(offerId, this.config.FEDERATION_SYNC_WAIT);
    // The server of the owner left it to us: that of the recipient has the last word.
    const instead = verdict?.reply?.offerId;
    if (typeof instead === 'number')
      verdict = await this.verdicts.wait(instead, Math.max(0, until - Date.now()));
    if (verdict?.state === 'delivered') return { kind: 'taken' };
    if (verdict?.state === 'refused') return { kind: 'refused', words: verdict.message ?? '' };
    return verdict?.state === 'dead' ? { kind: 'not-found' } : { kind: 'later' };
  }
}
