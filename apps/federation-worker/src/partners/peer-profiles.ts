import { Injectable } from '@nestjs/common';
import { DiscoveryClient } from '#federation/client';
import type { PeerDiscovery } from '#federation/delivery';
import {
  NO_PROFILE_VALID_MS,
  parseCloudId,
  PROFILE_VALID_MS,
  type Dialect,
  type DiscoveryConclusion,
  type PeerProfile,
} from '#federation/protocol';
import { PeerRepository, type PeerRow } from '#persistence';
import { readProfile } from './stored-profile';

/** How a partner is spoken to, or why that is not known. */
export type ProfileFound =
  | { readonly kind: 'partner'; readonly profile: PeerProfile }
  /** `isNew` where it was never known as a partner. */
  | (Exclude<DiscoveryConclusion, { kind: 'partner' }> & { readonly isNew: boolean });

/** A server that gave no usable answer is asked again after this. */
const INCONCLUSIVE_FOR_MS = 30_000;

/** What is known of partners, discovered where it is not. */
@Injectable()
export class PeerProfiles implements PeerDiscovery {
  constructor(
    private readonly peers: PeerRepository,
    private readonly client: DiscoveryClient,
  ) {}

  async discover(hostKey: string, signal: AbortSignal): Promise<void> {
    await this.ask(await this.peers.ensure(hostKey), { signal });
  }

  /**
   * The profile to write to a partner by: an operator's, else the kept one while it is fresh, else a new one. A
   * partner that does not answer is spoken to by what was known of it.
   */
  async of(
    peer: PeerRow,
    options: { readonly signal: AbortSignal; readonly budgetMs: number },
  ): Promise<ProfileFound> {
    const pinned = readProfile(peer.pinnedProfile);
    if (pinned) return { kind: 'partner', profile: pinned };
    const kept = readProfile(peer.profile);
    const isFresh = peer.profileExpiresAt !== null && peer.profileExpiresAt.getTime() > Date.now();
    if (kept && isFresh) return { kind: 'partner', profile: kept };
    const conclusion = await this.ask(peer, options);
    if (conclusion.kind === 'partner') return conclusion;
    if (kept && conclusion.kind === 'inconclusive') return { kind: 'partner', profile: kept };
    return { ...conclusion, isNew: kept === undefined };
  }

  /** Remembers which dialect a partner took: no other one is tried then. */
  async keepProven(peer: PeerRow, profile: PeerProfile, dialect: Dialect): Promise<void> {
    const isKept = peer.pinnedProfile === null && profile.provenDialect !== dialect;
    const validMs = profile.expiresAt - Date.now();
    if (isKept && validMs > 0)
      await this.peers.saveProfile(peer.id, { ...profile, provenDialect: dialect }, validMs);
  }

  /** Has the partner discovered anew before it is written to again. */
  async forget(peer: PeerRow): Promise<void> {
    await this.peers.expireProfile(peer.id);
  }

  private async ask(
    { id, hostKey }: PeerRow,
    options: { readonly signal: AbortSignal; readonly budgetMs?: number },
  ): Promise<DiscoveryConclusion> {
    const { conclusion } = await this.client.discover(
      { ...parseCloudId(`anybody@${hostKey}`), scheme: null },
      options,
    );
    switch (conclusion.kind) {
      case 'partner':
        await this.peers.saveProfile(id, conclusion.profile, PROFILE_VALID_MS);
        return conclusion;
      case 'no-partner':
        await this.peers.saveDiscoveryFailure(id, 'it is no server that shares', NO_PROFILE_VALID_MS);
        return conclusion;
      case 'inconclusive':
        await this.peers.saveDiscoveryFailure(id, conclusion.errorClass, INCONCLUSIVE_FOR_MS);
        return conclusion;
    }
  }
}
