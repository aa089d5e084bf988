import { Injectable } from '@nestjs/common';
import type { InboundPartners, KnownParties, OfferParties, PersonNames } from '#federation/exchange';
import {
  ContactRepository,
  NoticePartnerRepository,
  OfferPartiesRepository,
  PeerRepository,
  type PeerRow,
} from '#persistence';
import { actAs } from '#platform';
import { OfferingPartner } from './offering-partner';

/** Partners in the database. */
@Injectable()
export class StoredPartners implements InboundPartners {
  constructor(
    private readonly peers: PeerRepository,
    private readonly contacts: ContactRepository,
    private readonly notices: NoticePartnerRepository,
    private readonly offering: OfferingPartner,
    private readonly parties: OfferPartiesRepository,
  ) {}

  partiesOf(offer: OfferParties): Promise<KnownParties> {
    return this.parties.find(offer);
  }

  regarded(hostKey: string): ReturnType<PeerRepository['regarded']> {
    return this.peers.regarded(hostKey);
  }

  ensure(hostKey: string): Promise<PeerRow> {
    return this.peers.ensure(hostKey);
  }

  isPartner(hostKey: string): Promise<boolean> {
    return this.offering.isPartner(hostKey);
  }

  hasContact(uid: string, peerId: number, names: PersonNames): Promise<boolean> {
    return this.contacts.knowsOneOf(uid, peerId, names);
  }

  ofOurs(
    ...about: Parameters<NoticePartnerRepository['ofOurs']>
  ): ReturnType<NoticePartnerRepository['ofOurs']> {
    return this.notices.ofOurs(...about);
  }

  ofReceived(providerId: string, key: Buffer | null): ReturnType<NoticePartnerRepository['ofReceived']> {
    return this.notices.ofReceived(providerId, key);
  }

  actAs(partner: { readonly hostKey?: string; readonly peerId?: number }): void {
    actAs({ kind: 'partner', ...partner });
  }
}
