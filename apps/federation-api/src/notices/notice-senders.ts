import { Injectable } from '@nestjs/common';
import type { PartnerNotice } from '#federation/protocol';
import { NoticePartnerRepository, type NoticePartner } from '#persistence';
import { SecretBox } from '#platform';
import { shareIdIn } from './bound-shares';

/** Whose a notice can be: the partner of the share that its id belongs to, with the secret where it brings one. */
@Injectable()
export class NoticeSenders {
  constructor(
    private readonly partners: NoticePartnerRepository,
    private readonly secrets: SecretBox,
  ) {}

  /** Several where different partners offered a share with this id (and secret); none where it is about no share. */
  async of(notice: PartnerNotice): Promise<NoticePartner[]> {
    const { providerId, sharedSecret } = notice;
    const tokenHmac = sharedSecret && this.secrets.lookup(sharedSecret.reveal());
    const concerns = subjectOf(notice);
    if (concerns === 'received') return this.partners.ofReceived(providerId, tokenHmac);
    const shareId = shareIdIn(providerId);
    return shareId === undefined ? [] : this.partners.ofOurs(shareId, tokenHmac, concerns);
  }
}

/** Which side of which share says this: the server of a share of ours, whoever asked for that, or the owner of a received one. */
function subjectOf(notice: PartnerNotice): 'recipient' | 'requester' | 'received' {
  switch (notice.kind) {
    case 'share-accepted':
    case 'share-declined':
    case 'reshare-requested':
      return 'recipient';
    case 'reshare-undone':
      return 'requester';
    case 'share-unshared':
      return 'received';
    case 'permissions-changed':
      return notice.concerns === 'reshare' ? 'requester' : 'received';
  }
}
