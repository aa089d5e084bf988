import { Inject, Injectable } from '@nestjs/common';
import { PartnerTrustCalls, PeerProfiles } from '#federation/client';
import { hostAt, namesOf, SecretText, type AcceptanceAnswer } from '#federation/protocol';
import { AccountDirectory } from '#identity';
import {
  ContactRepository,
  Database,
  InvitationAcceptanceRepository,
  PeerRepository,
  type PeerRow,
  type WaitingAcceptance,
} from '#persistence';
import { LOGGER, PublicAddress, SecretBox, type Logger } from '#platform';
import { CachedPolicy } from '#settings';
import { dealsWith } from '#sharing';

const DISCOVERY_BUDGET_MS = 10_000;
const REFUSED = (reason: 'unreachable' | 'not-understood' | 'barred') =>
  ({ kind: 'refused', reason }) as const;

type Outcome = AcceptanceAnswer | ReturnType<typeof REFUSED>;

/** Tells a partner that one of our users accepts an invitation, and enters who invited as a contact. */
@Injectable()
export class TellAcceptance {
  constructor(
    private readonly acceptances: InvitationAcceptanceRepository,
    private readonly contacts: ContactRepository,
    private readonly peers: PeerRepository,
    private readonly profiles: PeerProfiles,
    private readonly calls: PartnerTrustCalls,
    private readonly accounts: AccountDirectory,
    private readonly policy: CachedPolicy,
    private readonly secrets: SecretBox,
    private readonly address: PublicAddress,
    private readonly database: Database,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** One that is settled already is left as it is. */
  async tell(acceptanceId: number): Promise<void> {
    const acceptance = await this.acceptances.waiting(acceptanceId);
    const peer = acceptance && (await this.peers.findById(acceptance.peerId));
    if (!peer) return;
    const outcome = await this.outcomeOf(acceptance, peer);
    await this.database.transaction(async (transaction) => {
      if (outcome.kind === 'refused')
        return this.acceptances.settle(transaction, acceptanceId, null, outcome.reason);
      const { inviter, name, email } = outcome;
      const id = await this.contacts.keep(transaction, {
        uid: acceptance.uid,
        peerId: peer.id,
        remoteUser: inviter.user,
        person: inviter.person,
        names: namesOf(inviter),
        displayName: name,
        email,
      });
      return this.acceptances.settle(transaction, acceptanceId, id, '');
    });
    const reason = outcome.kind === 'refused' ? outcome.reason : undefined;
    this.logger.info(
      { subsystem: 'invitations', partner: peer.hostKey, reason },
      'a partner was told of an acceptance',
    );
  }

  private async outcomeOf({ uid, sealedToken }: WaitingAcceptance, peer: PeerRow): Promise<Outcome> {
    const isOpen = dealsWith(await this.policy.current(), peer);
    const account = await this.accounts.find(uid);
    if (!isOpen || peer.paused || !account?.enabled) return REFUSED('barred');
    const found = await this.profiles.of(peer, { budgetMs: DISCOVERY_BUDGET_MS });
    if (found.kind !== 'partner')
      return REFUSED(found.kind === 'no-partner' ? 'not-understood' : 'unreachable');
    const { ocmEndPoint } = found.profile;
    if (ocmEndPoint === null) return REFUSED('not-understood');
    return this.calls.acceptInvitation({
      partner: found.profile,
      ocmEndPoint,
      hostKey: peer.hostKey,
      token: new SecretText(this.secrets.open(sealedToken)),
      provider: hostAt(this.address.url),
      person: { userId: uid, email: account.email ?? '', name: account.displayName },
    });
  }
}
