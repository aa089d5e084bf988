import { Injectable } from '@nestjs/common';
import type { PartnerNotice, ReshareGrant } from '#federation/protocol';
import { actAs, inSpan } from '#platform';
import type { ProveAmong } from '../signatures/sender-proof';
import { GrantReshare } from './grant-reshare';
import { NoticeSenders } from './notice-senders';
import { NoticesOfOurs } from './notices-of-ours';
import { NoticesOfReceived } from './notices-of-received';

/** Takes a partner's message about a share that both sides know. Who sent it is never sent another one for it. */
@Injectable()
export class TakeNotice {
  constructor(
    private readonly senders: NoticeSenders,
    private readonly ours: NoticesOfOurs,
    private readonly received: NoticesOfReceived,
    private readonly reshares: GrantReshare,
  ) {}

  /**
   * @param prove finds out which of the partners it can be of have sent it
   * @returns the share that was made, where one was asked for
   * @throws FederationRefused
   */
  take(notice: PartnerNotice, prove: ProveAmong): Promise<ReshareGrant | undefined> {
    return inSpan(`take ${notice.kind}`, { kind: 'internal' }, () => this.takeAsOfSenders(notice, prove));
  }

  private async takeAsOfSenders(notice: PartnerNotice, prove: ProveAmong): Promise<ReshareGrant | undefined> {
    const senders = await this.provenSenders(notice, prove);
    if (notice.kind === 'reshare-requested') return this.reshares.grant(notice);
    await this.apply(notice, senders);
    return undefined;
  }

  /** Ids of partners; none for a notice about no share, which changes nothing whoever sent it. */
  private async provenSenders(notice: PartnerNotice, prove: ProveAmong): Promise<number[]> {
    const partners = await this.senders.of(notice);
    if (partners.length === 0) return [];
    actAs({ kind: 'partner', hostKey: partners[0]!.hostKey });
    const { hosts } = await prove(partners.map(({ hostKey }) => hostKey));
    const senders = partners.filter(({ hostKey }) => hosts.includes(hostKey)).map(({ peerId }) => peerId);
    actAs({ kind: 'partner', peerId: senders[0] });
    return senders;
  }

  private async apply(
    notice: Exclude<PartnerNotice, { kind: 'reshare-requested' }>,
    senders: readonly number[],
  ): Promise<void> {
    switch (notice.kind) {
      case 'share-accepted':
        return this.ours.accepted(notice);
      case 'share-declined':
        return this.ours.declined(notice);
      case 'reshare-undone':
        return this.ours.reshareUndone(notice);
      case 'share-unshared':
        return this.received.takenBack(notice, senders);
      case 'permissions-changed':
        return notice.concerns === 'reshare'
          ? this.ours.permissionsChanged(notice)
          : this.received.permissionsChanged(notice, notice.permissions, senders);
    }
  }
}
