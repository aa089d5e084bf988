import { Inject, Injectable } from '@nestjs/common';
import type { PeerDiscovery } from '#federation/delivery';
import { PeerRepository } from '#persistence';
import { PEER_DISCOVERY } from '../partner-ports';

/** Whether partners' servers are well, which a refusal means nothing without. */
@Injectable()
export class PartnerHealth {
  constructor(
    @Inject(PEER_DISCOVERY) private readonly discovery: Pick<PeerDiscovery, 'discover'>,
    private readonly peers: PeerRepository,
  ) {}

  /** Answers for the length of a visit: the server is asked once, when somebody first wants to know. */
  during(hostKey: string): () => Promise<boolean> {
    let answer: Promise<boolean> | undefined;
    return () => (answer ??= this.isWell(hostKey));
  }

  /** One that does not describe itself as a partner now is not well, whatever else it answers. */
  private async isWell(hostKey: string): Promise<boolean> {
    // It ends by its own limits; an interrupted one would leave the outcome of an earlier one to be read.
    await this.discovery.discover(hostKey, new AbortController().signal);
    const peer = await this.peers.find(hostKey);
    return peer !== undefined && peer.profile !== null && peer.discoveryFailedUntil === null;
  }
}
