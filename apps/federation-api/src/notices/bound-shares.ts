import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { FederationRefused, type PartnerNotice } from '#federation/protocol';
import { InboxShareRepository, type NotifiedShareRow, type Queryable } from '#persistence';
import { SecretBox } from '#platform';
import { CachedPolicy } from '#settings';

/** Binding of a notice to a share: the share's id, with its secret or with the signature of the share's partner. */
export interface Binding extends Pick<PartnerNotice, 'providerId' | 'sharedSecret'> {
  /** Ids of the partners that it can be of. */
  readonly senders: readonly number[];
  /** Whether it was signed by one of them. */
  readonly isSigned: boolean;
}

/** We number our shares: any other id is none of ours. */
export function shareIdIn(providerId: string): number | undefined {
  return /^[1-9]\d{0,14}$/.test(providerId) ? Number(providerId) : undefined;
}

/** Finds the shares of ours that partners' notices are about. */
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
  async lock(transaction: Queryable, binding: Binding): Promise<NotifiedShareRow> {
    const id = shareIdIn(binding.providerId);
    const share = id === undefined ? undefined : await new InboxShareRepository(transaction).lock(id);
    if (!share) throw new FederationRefused('share-unknown', binding.providerId);
    if (!this.isBoundTo(share, binding)) throw new FederationRefused('secret-wrong');
    return share;
  }

  /** The same, and undefined where there is no such share or it is not bound. */
  async find(transaction: Queryable, binding: Binding): Promise<NotifiedShareRow | undefined> {
    try {
      return await this.lock(transaction, binding);
    } catch (error) {
      if (error instanceof FederationRefused) return undefined;
      throw error;
    }
  }

  /** Whether it was a share of ours with this secret, of whose end its partner is told. */
  async hasEnded(database: Queryable, { providerId, sharedSecret }: Binding): Promise<boolean> {
    const id = shareIdIn(providerId);
    if (id === undefined || !sharedSecret) return false;
    const said = this.secrets.lookup(sharedSecret.reveal());
    const known = await new InboxShareRepository(database).secretsOfEnded(id);
    return known.some((sealed) => timingSafeEqual(this.secrets.lookup(this.secrets.open(sealed)), said));
  }

  private isBoundTo(share: NotifiedShareRow, { sharedSecret, senders, isSigned }: Binding): boolean {
    if (sharedSecret) return timingSafeEqual(this.secrets.lookup(sharedSecret.reveal()), share.tokenHmac);
    return isSigned && senders.some((sender) => sender === share.peerId || sender === share.requesterPeerId);
  }
}
