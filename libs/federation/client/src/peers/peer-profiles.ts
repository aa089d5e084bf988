import { Injectable } from '@nestjs/common';
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
import { DiscoveryClient, type DiscoveryOptions } from '../discovery/discovery-client';
import { failureText, readFailure, readProfile } from './stored-profile';

/** How a partner is spoken to, or why that is not known. */
export type ProfileFound =
  | { readonly kind: 'partner'; readonly profile: PeerProfile }
  /** `isNew` where it was never known as a partner. */
  | (NoProfile & { readonly isNew: boolean });

export interface ProfileOptions extends Pick<DiscoveryOptions, 'signal' | 'budgetMs'> {
  readonly persistent?: boolean;
}

type NoProfile = Exclude<DiscoveryConclusion, { kind: 'partner' }>;

/** A server that gave no usable answer is asked again after this. */
const INCONCLUSIVE_FOR_MS = 30_000;

/** Profiles of partners, discovered where they are unknown. */
@Injectable()
export class PeerProfiles implements PeerDiscovery {
  /** By partner: who needs the same answer at the same time waits for the one question. */
  private readonly asking = new Map<number, Promise<DiscoveryConclusion>>();

  constructor(
    private readonly peers: PeerRepository,
    private readonly client: DiscoveryClient,
  ) {}

  /** Asks the partner now, whatever is known of it. */
  async discover(hostKey: string, signal: AbortSignal): Promise<void> {
    await this.ask(await this.peers.ensure(hostKey), { signal });
  }

  async learn(hostKey: string, signal: AbortSignal): Promise<void> {
    await this.of(await this.peers.ensure(hostKey), { signal });
  }

  /**
   * The profile to reach a partner by: an operator's, else the kept one while it is fresh, else a new one. For a
   * partner that does not answer, its last profile counts; a partner that just failed is not asked again: its last
   * failure is the answer.
   * @param options `persistent` for callers with a patience of their own, such as a delivery with its pauses and its partner's
   * breaker: a partner that just failed is asked for them
   */
  async of(peer: PeerRow, options: ProfileOptions = {}): Promise<ProfileFound> {
    const found = await this.announcedBy(peer, options);
    if (found.kind !== 'partner') return found;
    return { kind: 'partner', profile: { ...found.profile, signBy: peer.signBy } };
  }

  private async announcedBy(
    peer: PeerRow,
    { persistent = false, ...options }: ProfileOptions,
  ): Promise<ProfileFound> {
    const pinned = readProfile(peer.pinnedProfile);
    if (pinned) return { kind: 'partner', profile: pinned };
    const kept = readProfile(peer.profile);
    if (kept && isAhead(peer.profileExpiresAt)) return { kind: 'partner', profile: kept };
    const conclusion = (persistent ? undefined : failureOf(peer)) ?? (await this.askOnce(peer, options));
    if (conclusion.kind === 'partner') return conclusion;
    if (kept && conclusion.kind === 'inconclusive') return { kind: 'partner', profile: kept };
    return { ...conclusion, isNew: kept === undefined };
  }

  /** Remembers which dialect a partner took: no other one is tried then. */
  async keepProven(peer: PeerRow, profile: PeerProfile, dialect: Dialect): Promise<void> {
    const isKept = peer.pinnedProfile === null && profile.provenDialect !== dialect;
    const validMs = profile.expiresAt - Date.now();
    if (isKept && validMs > 0)
      await this.peers.saveProfile(peer.id, { ...profile, provenDialect: dialect, signBy: null }, validMs);
  }

  /** Has the partner discovered anew before it is written to again. */
  async forget(peer: PeerRow): Promise<void> {
    await this.peers.expireProfile(peer.id);
  }

  private askOnce(peer: PeerRow, options: DiscoveryOptions): Promise<DiscoveryConclusion> {
    const underWay = this.asking.get(peer.id);
    if (underWay) return underWay;
    const asked = this.ask(peer, options).finally(() => this.asking.delete(peer.id));
    this.asking.set(peer.id, asked);
    return asked;
  }

  private async ask({ id, hostKey }: PeerRow, options: DiscoveryOptions): Promise<DiscoveryConclusion> {
    const { conclusion, keys } = await this.client.discover(
      { ...parseCloudId(`anybody@${hostKey}`), scheme: null },
      options,
    );
    if (conclusion.kind === 'partner') {
      await this.peers.saveDiscovery(id, conclusion.profile, PROFILE_VALID_MS, keys);
    } else if (!options.signal?.aborted) {
      // One who was interrupted says nothing about the partner.
      const forMs = conclusion.kind === 'no-partner' ? NO_PROFILE_VALID_MS : INCONCLUSIVE_FOR_MS;
      await this.peers.saveDiscoveryFailure(id, failureText(conclusion), forMs);
    }
    return conclusion;
  }
}

const isAhead = (time: Date | null): boolean => time !== null && time.getTime() > Date.now();

/** Why the last discovery failed, while it is not to be repeated. */
function failureOf({ discoveryFailedUntil, discoveryError }: PeerRow): NoProfile | undefined {
  return isAhead(discoveryFailedUntil) ? readFailure(discoveryError ?? '') : undefined;
}
