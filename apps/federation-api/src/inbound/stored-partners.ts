import { Injectable } from '@nestjs/common';
import type { InboundPartners, PersonNames } from '#federation/exchange';
import {
  ContactRepository,
  NoticePartnerRepository,
  OfferBlockRepository,
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
    private readonly blocks: OfferBlockRepository,
  ) {}

  find(hostKey: string): Promise<PeerRow | undefined> {
    return this.peers.find(hostKey);
  }

  regarded(hostKey: string): ReturnType<PeerRepository['regarded']> {
    return this.peers.regarded(hostKey);
  }

  ensure(hostKey: string): Promise<PeerRow> {
    return this.peers.ensure(hostKey);
  }

  isPartner(partner: PeerRow): Promise<boolean> {
    return this.offering.isPartner(partner);
  }

  hasContact(uid: string, peerId: number, names: PersonNames): Promise<boolean> {
    return this.contacts.knowsOneOf(uid, peerId, names);
  }

  isBlocked(uid: string, hosts: readonly string[], people: readonly string[]): Promise<boolean> {
    return this.blocks.isBlocked(uid, hosts, people);
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
