import { Injectable } from '@nestjs/common';
import { PeerProfiles } from '#federation/client';
import type { OutboundPartners, ProfileFound } from '#federation/exchange';
import type { Dialect, PeerProfile } from '#federation/protocol';
import { ContactRepository, PeerRepository, type PeerRow } from '#persistence';

/** Together with the requests in every dialect below the time that one attempt may take. */
const DISCOVERY_BUDGET_MS = 10_000;

/** Partners as they are stored and discovered. */
@Injectable()
export class ReachedPartners implements OutboundPartners<PeerRow> {
  constructor(
    private readonly peers: PeerRepository,
    private readonly contacts: ContactRepository,
    private readonly profiles: PeerProfiles,
  ) {}

  find(peerId: number): Promise<PeerRow | undefined> {
    return this.peers.findById(peerId);
  }

  profileOf(partner: PeerRow, signal: AbortSignal): Promise<ProfileFound> {
    return this.profiles.of(partner, { signal, budgetMs: DISCOVERY_BUDGET_MS, persistent: true });
  }

  keepProven(partner: PeerRow, profile: PeerProfile, dialect: Dialect): Promise<void> {
    return this.profiles.keepProven(partner, profile, dialect);
  }

  rediscover(partner: PeerRow): Promise<void> {
    return this.profiles.forget(partner);
  }

  contactBehind(shareId: number): Promise<string | undefined> {
    return this.contacts.userBehindShare(shareId);
  }
}
