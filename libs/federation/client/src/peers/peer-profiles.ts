import { Injectable } from '@nestjs/common';
import {
  discoverPartner,
  profileOf,
  provenProfile,
  type DiscoveryPorts,
  type PeerDiscovery,
  type ProfileFound,
} from '#federation/exchange';
import { parseCloudId, type Dialect, type DiscoveryConclusion, type PeerProfile } from '#federation/protocol';
import { PeerRepository, type PeerRow, type ReadKeys } from '#persistence';
import { DiscoveryClient, type DiscoveryRequestOptions } from '../discovery/discovery-client';

export interface ProfileRequestOptions extends Pick<DiscoveryRequestOptions, 'signal' | 'budgetMs'> {
  readonly persistent?: boolean;
}

/** Profiles of partners. Unknown ones are discovered. */
@Injectable()
export class PeerProfiles implements PeerDiscovery {
  /** By partner: concurrent callers that need the same answer share one request. */
  private readonly asking = new Map<number, Promise<DiscoveryConclusion>>();

  constructor(
    private readonly peers: PeerRepository,
    private readonly client: DiscoveryClient,
  ) {}

  /** Asks the partner now, even if its profile is known. */
  async discover(hostKey: string, signal: AbortSignal): Promise<void> {
    await this.ask(await this.peers.ensure(hostKey), { signal });
  }

  async learn(hostKey: string, signal: AbortSignal): Promise<void> {
    await this.of(await this.peers.ensure(hostKey), { signal });
  }

  /** The profile with which a partner is reached. */
  of(peer: PeerRow, { persistent = false, ...options }: ProfileRequestOptions = {}): Promise<ProfileFound> {
    return profileOf(peer, Date.now(), persistent, () => this.askOnce(peer, options));
  }

  /** Stores the dialect that a partner accepted. */
  async keepProven(peer: PeerRow, profile: PeerProfile, dialect: Dialect): Promise<void> {
    const proven = provenProfile(peer, profile, dialect, Date.now());
    if (proven) await this.peers.saveProfile(peer.id, proven.profile, proven.validMs);
  }

  /** Marks the partner for a new discovery before the next message. */
  async forget(peer: PeerRow): Promise<void> {
    await this.peers.expireProfile(peer.id);
  }

  private askOnce(peer: PeerRow, options: DiscoveryRequestOptions): Promise<DiscoveryConclusion> {
    const underWay = this.asking.get(peer.id);
    if (underWay) return underWay;
    const asked = this.ask(peer, options).finally(() => this.asking.delete(peer.id));
    this.asking.set(peer.id, asked);
    return asked;
  }

  private ask(peer: PeerRow, options: DiscoveryRequestOptions): Promise<DiscoveryConclusion> {
    const { client, peers } = this;
    const ports: DiscoveryPorts<PeerRow, ReadKeys, DiscoveryRequestOptions> = {
      ask: ({ hostKey }) => client.discover({ ...parseCloudId(`anybody@${hostKey}`), scheme: null }, options),
      keep: ({ id }, profile, validMs, keys) => peers.saveDiscovery(id, profile, validMs, keys),
      keepFailure: ({ id }, reason, forMs) => peers.saveDiscoveryFailure(id, reason, forMs),
    };
    return discoverPartner(ports, peer, options);
  }
}
