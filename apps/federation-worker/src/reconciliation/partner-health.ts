import { Inject, Injectable } from '@nestjs/common';
import { isWell, type PeerDiscovery } from '#federation/exchange';
import { PeerRepository } from '#persistence';
import { PEER_DISCOVERY } from '../partner-ports';

/** Whether partners' servers are well, which a refusal means nothing without. */
@Injectable()
export class PartnerHealth {
  constructor(
    @Inject(PEER_DISCOVERY) private readonly discovery: Pick<PeerDiscovery, 'discover'>,
    private readonly peers: PeerRepository,
  ) {}

  /** Asks it now. */
  async isWell(hostKey: string): Promise<boolean> {
    // It ends by its own limits; an interrupted one would leave the outcome of an earlier one to be read.
    await this.discovery.discover(hostKey, new AbortController().signal);
    const peer = await this.peers.find(hostKey);
    return peer !== undefined && isWell(peer);
  }
}
