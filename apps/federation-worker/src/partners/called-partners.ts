import { Injectable } from '@nestjs/common';
import { PeerProfiles } from '#federation/client';
import type { ProfileFound, ReachedPartners } from '#federation/exchange';
import { PeerRepository, type PeerRow } from '#persistence';

/** Milliseconds for discovery before a call. Together with the requests themselves they stay within the limit of one attempt. */
export const DISCOVERY_BUDGET_MS = 10_000;

/** Partners in the database, with their discovery. */
@Injectable()
export class CalledPartners implements ReachedPartners<PeerRow> {
  constructor(
    private readonly peers: PeerRepository,
    private readonly profiles: PeerProfiles,
  ) {}

  find(peerId: number): Promise<PeerRow | undefined> {
    return this.peers.findById(peerId);
  }

  profileOf(partner: PeerRow): Promise<ProfileFound> {
    return this.profiles.of(partner, { budgetMs: DISCOVERY_BUDGET_MS });
  }
}
