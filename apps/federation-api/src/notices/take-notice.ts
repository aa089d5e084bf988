import { Injectable } from '@nestjs/common';
import type { PartnerNotice } from '#federation/protocol';
import { NoticesOfOurs } from './notices-of-ours';
import { NoticesOfReceived } from './notices-of-received';

/** Takes a partner's message about a share that both sides know. Nothing is ever sent in return. */
@Injectable()
export class TakeNotice {
  constructor(
    private readonly ours: NoticesOfOurs,
    private readonly received: NoticesOfReceived,
  ) {}

  /** @throws FederationRefused */
  async take(notice: PartnerNotice): Promise<void> {
    switch (notice.kind) {
      case 'share-accepted':
        return this.ours.accepted(notice);
      case 'share-declined':
        return this.ours.declined(notice);
      case 'reshare-undone':
        return this.ours.unsupported(notice, 'RESHARE_UNDO');
      case 'reshare-requested':
        return this.ours.unsupported(notice, 'REQUEST_RESHARE');
      case 'share-unshared':
        return this.received.takenBack(notice);
      case 'permissions-changed':
        return notice.concerns === 'reshare'
          ? this.ours.permissionsLowered(notice, notice.permissions)
          : this.received.permissionsChanged(notice, notice.permissions);
    }
  }
}
