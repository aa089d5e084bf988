import { Inject, Injectable } from '@nestjs/common';
import { hostAt, type ReceivedInvitation } from '#federation/protocol';
import { PeerRepository, type ContactRow } from '#persistence';
import { CONFIG, PublicAddress, SecretBox, type Config } from '#platform';
import { InvitationAcceptances } from '#queue';
import { CachedPolicy } from '#settings';
import { dealsWith, partnerNamed } from '#sharing';
import { RefusedAttempts } from '../audit/refused-attempts';
import { InvitationRefused, type InvitationRefusal } from './invitation-refused';

const REASONS: readonly InvitationRefusal[] = [
  'unknown',
  'used',
  'not-trusted',
  'unreachable',
  'not-understood',
  'barred',
];

/** Accepts invitations of partners: a worker tells their server, and the call waits for the answer. */
@Injectable()
export class AcceptInvitation {
  constructor(
    private readonly policy: CachedPolicy,
    private readonly peers: PeerRepository,
    private readonly acceptances: InvitationAcceptances,
    private readonly secrets: SecretBox,
    private readonly address: PublicAddress,
    private readonly refused: RefusedAttempts,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** @returns the inviter; undefined if their server has not answered yet @throws InvitationRefused */
  async accept(uid: string, { token, hostKey }: ReceivedInvitation): Promise<ContactRow | undefined> {
    await this.assertDealtWith(hostKey);
    const peer = await this.peers.ensure(hostKey);
    const sealed = this.secrets.seal(token.reveal());
    const waitMs = this.config.FEDERATION_SYNC_WAIT;
    const settled = await this.acceptances.accept(uid, peer.id, sealed, waitMs);
    if (settled?.state !== 'refused') return settled?.contact ?? undefined;
    throw new InvitationRefused(REASONS.find((reason) => reason === settled.reason) ?? 'not-understood');
  }

  private async assertDealtWith(hostKey: string): Promise<void> {
    const policy = await this.policy.current();
    const { incoming, outgoing } = policy.federation;
    if (!incoming && !outgoing) throw new InvitationRefused('off');
    if (hostKey === hostAt(this.address.url)) throw new InvitationRefused('own');
    const partner = partnerNamed(hostKey, await this.peers.regarded(hostKey));
    if (dealsWith(policy, partner)) return;
    await this.refused.barredInvitation(hostKey);
    throw new InvitationRefused('barred');
  }
}
