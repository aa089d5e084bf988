import type { HostIdentity } from '#federation/protocol';
import type { Repository } from 'typeorm';
import { selected } from '../../selected';
import type { Database } from '../../database';
import { type DemandedSignatures, PeerEntity, type Trust } from '../../entities/partners/peer.entity';

/** A host of partners, with the decisions about it. */
export interface RegardedPeer {
  readonly id: number;
  readonly hostKey: string;
  readonly trust: Trust;
  readonly outgoingTrust: Trust | null;
  /** Demand on the signatures of its messages; null if the setting decides. */
  readonly signatures: DemandedSignatures | null;
}

const COLUMNS = { id: true, hostKey: true, trust: true, outgoingTrust: true, signatures: true } as const;

/**
 * Administrators' decisions about hosts, for all addresses there. Every replica follows them when it next reads
 * the partner.
 */
export class PeerTrustRepository {
  constructor(private readonly database: Database) {}

  /** The host may be new: it can be denied or trusted before it sends anything. */
  set(host: HostIdentity, trust: Trust, direction: 'both' | 'incoming' | 'outgoing'): Promise<RegardedPeer> {
    if (direction === 'both') return this.decide(host, { trust, outgoingTrust: null });
    if (direction === 'outgoing') return this.decide(host, { outgoingTrust: trust });
    return this.change(host, async (peers, hostKey) => {
      // Existing shares continue.
      const changed = await peers.update(
        { hostKey },
        { trust, outgoingTrust: () => 'coalesce(outgoing_trust, trust)' },
      );
      if (changed.affected === 0) await peers.insert({ hostKey, trust, outgoingTrust: 'unknown' });
    });
  }

  /** @param signatures demand on signatures of its messages; null: the setting decides */
  demand(host: HostIdentity, signatures: DemandedSignatures | null): Promise<RegardedPeer> {
    return this.decide(host, { signatures });
  }

  async find(host: HostIdentity): Promise<RegardedPeer | undefined> {
    const peers = this.database.reader(PeerEntity);
    const peer = await peers.findOneBy({ hostKey: await presentName(peers, host) });
    return peer ? selected(COLUMNS, peer) : undefined;
  }

  private decide(
    host: HostIdentity,
    decision: Partial<Pick<PeerEntity, 'trust' | 'outgoingTrust' | 'signatures'>>,
  ): Promise<RegardedPeer> {
    return this.change(host, (peers, hostKey) => peers.upsert({ hostKey, ...decision }, ['hostKey']));
  }

  private change(
    host: HostIdentity,
    work: (peers: Peers, hostKey: string) => Promise<unknown>,
  ): Promise<RegardedPeer> {
    return this.database.write(PeerEntity, async (peers) => {
      const hostKey = await presentName(peers, host);
      await work(peers, hostKey);
      return selected(COLUMNS, await peers.findOneByOrFail({ hostKey }));
    });
  }
}

type Peers = Repository<PeerEntity>;

/** The name of the host, or its new name after a rename. */
async function presentName(peers: Peers, hostKey: string): Promise<string> {
  const named = await peers
    .createQueryBuilder('peer')
    .innerJoin('peer.host', 'host')
    .select(['peer.id', 'host.id', 'host.hostKey'])
    .where({ hostKey })
    .getOne();
  return named?.host?.hostKey ?? hostKey;
}
