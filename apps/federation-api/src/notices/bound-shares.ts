import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { FederationRefused, type PartnerNotice } from '#federation/protocol';
import { InboxShareRepository, type NotifiedShareRow, type Queryable } from '#persistence';
import { SecretBox } from '#platform';
import { CachedPolicy } from '#settings';

/** What binds a notice to a share. */
export type Binding = Pick<PartnerNotice, 'providerId' | 'sharedSecret'>;

/** We number our shares: any other id is none of ours. */
export function shareIdIn(providerId: string): number | undefined {
  return /^[1-9]\d{0,14}$/.test(providerId) ? Number(providerId) : undefined;
}

/** Finds the shares of ours that partners' notices are about: by provider id and shared secret together. */
@Injectable()
export class BoundShares {
  constructor(
    private readonly policy: CachedPolicy,
    private readonly secrets: SecretBox,
  ) {}

  /** @throws FederationRefused outgoing-disabled */
  async assertOutgoing(): Promise<void> {
    if (!(await this.policy.current()).federation.outgoing) throw new FederationRefused('outgoing-disabled');
  }

  /** Holds the share until the transaction ends. @throws FederationRefused share-unknown, secret-wrong */
  async lock(transaction: Queryable, { providerId, sharedSecret }: Binding): Promise<NotifiedShareRow> {
    const id = shareIdIn(providerId);
    const share = id === undefined ? undefined : await new InboxShareRepository(transaction).lock(id);
    if (!share) throw new FederationRefused('share-unknown', providerId);
    const given = sharedSecret && this.secrets.lookup(sharedSecret.reveal());
    if (!given || !timingSafeEqual(given, share.tokenHmac)) throw new FederationRefused('secret-wrong');
    return share;
  }
}
