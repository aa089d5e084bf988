import { Inject, Injectable } from '@nestjs/common';
import { isWell, type PeerDiscovery } from '#federation/exchange';
import { PeerRepository } from '#persistence';
import { PEER_DISCOVERY } from '../partner-ports';

/** Finds out whether partners' servers are well. Without that, their refusals say nothing. */
@Injectable()
export class PartnerHealth {
  constructor(
    @Inject(PEER_DISCOVERY) private readonly discovery: Pick<PeerDiscovery, 'discover'>,
    private readonly peers: PeerRepository,
  ) {}

  /** Asks the partner now. */
  async isWell(hostKey: string): Promise<boolean> {
    // It ends by its own limits. If it were interrupted, the result of an earlier one would be read.
    await this.discovery.discover(hostKey, new AbortController().signal);
    const peer = await this.peers.find(hostKey);
    return peer !== undefined && isWell(peer);
  }
}
