import { Injectable } from '@nestjs/common';
import type { OutgoingMessage } from '#federation/delivery';
import { tokenDemand, type PeerProfile, type TokenDemand } from '#federation/protocol';
import { Database, PartnerShareRepository } from '#persistence';
import { CachedPolicy } from '#settings';

/** Decides whether the secret of a share that is offered has to be exchanged for an access token, and holds it to that. */
@Injectable()
export class TokenDemands {
  private readonly shares: PartnerShareRepository;

  constructor(
    database: Database,
    private readonly policy: CachedPolicy,
  ) {
    this.shares = new PartnerShareRepository(database);
  }

  /** Before the partner is told that its secret opens nothing, it opens nothing; what was told stays. */
  async of({ kind, subject }: OutgoingMessage, profile: PeerProfile): Promise<TokenDemand> {
    if (kind !== 'share-create' && kind !== 'share-permissions') return 'none';
    const promised = await this.shares.demandsExchange(subject.id);
    if (kind === 'share-permissions') return promised ? 'exchange' : 'none';
    const { tokenExchange } = (await this.policy.current()).federation;
    const demand = tokenDemand(profile, tokenExchange.outgoing, promised);
    if (demand === 'exchange' && !promised) await this.shares.demandExchange(subject.id);
    return demand;
  }
}
