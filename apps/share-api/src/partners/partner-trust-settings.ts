import { Injectable } from '@nestjs/common';
import {
  HANDSHAKE_TOKEN_LENGTH,
  parseCloudId,
  peerKeyOf,
  readHostIdentity,
  type HostIdentity,
} from '#federation/protocol';
import { tokenToAskWith } from '#identity';
import { OcsFailure } from '#ocs/http';
import { HandshakeRepository, PeerRepository, PeerTrustRepository } from '#persistence';
import { randomToken, SecretBox } from '#platform';
import type { PartnerTrust, SignatureDemand } from '#sharing';

export type TrustDirection = 'both' | 'incoming' | 'outgoing';

/** A partner, as administrators see it. */
export interface PartnerRecord {
  readonly host: string;
  readonly trust: PartnerTrust;
  /** null if it does not differ. */
  readonly outgoing_trust: PartnerTrust | null;
  /** Demand on the signatures of its messages; null if the setting decides. */
  readonly signatures: SignatureDemand | null;
  readonly [field: string]: string | null;
}

/** Trust in partners. */
@Injectable()
export class PartnerTrustSettings {
  constructor(
    private readonly partners: PeerTrustRepository,
    private readonly peers: PeerRepository,
    private readonly handshakes: HandshakeRepository,
    private readonly secrets: SecretBox,
  ) {}

  /** An unknown partner has the trust `unknown`. @throws OcsFailure for an invalid host */
  async find(named: string): Promise<PartnerRecord> {
    const host = hostNamed(named);
    const found = await this.partners.find(host);
    return recordOf(found ?? { hostKey: host, trust: 'unknown', outgoingTrust: null, signatures: null });
  }

  /** @param demand undefined changes nothing @throws OcsFailure for an invalid host */
  async regard(
    named: string,
    trust: PartnerTrust,
    direction: TrustDirection,
    demand: SignatureDemand | null | undefined,
  ): Promise<PartnerRecord> {
    const host = hostNamed(named);
    const regarded = await this.partners.set(host, trust, direction);
    return recordOf(demand === undefined ? regarded : await this.partners.demand(host, demand));
  }

  /**
   * Starts a handshake about a secret with a partner, as ownCloud and Nextcloud do between trusted servers; a worker
   * continues it. @throws OcsFailure for an invalid host
   */
  async beginHandshake(named: string): Promise<void> {
    hostNamed(named);
    const peer = await this.peers.ensure(peerKeyOf(parseCloudId(`somebody@${named}`)));
    const token = tokenToAskWith(() => randomToken(HANDSHAKE_TOKEN_LENGTH));
    await this.handshakes.begin(peer.id, this.secrets.seal(token));
  }
}

function hostNamed(text: string): HostIdentity {
  const host = readHostIdentity(text);
  if (host === undefined) throw new OcsFailure(400, 'host is the part of a federated cloud id behind its @');
  return host;
}

const recordOf = (partner: {
  hostKey: string;
  trust: PartnerTrust;
  outgoingTrust: PartnerTrust | null;
  signatures: SignatureDemand | null;
}): PartnerRecord => ({
  host: partner.hostKey,
  trust: partner.trust,
  outgoing_trust: partner.outgoingTrust,
  signatures: partner.signatures,
});
