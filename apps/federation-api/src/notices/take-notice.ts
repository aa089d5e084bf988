import { Injectable } from '@nestjs/common';
import type { PartnerNotice, ReshareGrant } from '#federation/protocol';
import { GrantReshare } from './grant-reshare';
import { NoticesOfOurs } from './notices-of-ours';
import { NoticesOfReceived } from './notices-of-received';

/** Takes a partner's message about a share that both sides know. Who sent it is never sent another one for it. */
@Injectable()
export class TakeNotice {
  constructor(
    private readonly ours: NoticesOfOurs,
    private readonly received: NoticesOfReceived,
    private readonly reshares: GrantReshare,
  ) {}

  /** @returns the share that was made, where one was asked for @throws FederationRefused */
  async take(notice: PartnerNotice): Promise<ReshareGrant | undefined> {
    if (notice.kind === 'reshare-requested') return this.reshares.grant(notice);
    await this.apply(notice);
    return undefined;
  }

  private async apply(notice: Exclude<PartnerNotice, { kind: 'reshare-requested' }>): Promise<void> {
    switch (notice.kind) {
      case 'share-accepted':
        return this.ours.accepted(notice);
      case 'share-declined':
        return this.ours.declined(notice);
      case 'reshare-undone':
        return this.ours.reshareUndone(notice);
      case 'share-unshared':
        return this.received.takenBack(notice);
      case 'permissions-changed':
        return notice.concerns === 'reshare'
          ? this.ours.permissionsChanged(notice)
          : this.received.permissionsChanged(notice, notice.permissions);
    }
  }
}
