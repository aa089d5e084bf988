import { Injectable } from '@nestjs/common';
import type { Prove } from '#federation/exchange';
import {
  FederationRefused,
  hostAt,
  namesOf,
  peerKeyOf,
  type AcceptedInvitation,
  type PresentedPerson,
} from '#federation/protocol';
import { AccountDirectory, type Account } from '#identity';
import {
  ContactRepository,
  Database,
  InvitationRepository,
  PeerRepository,
  type PresentedInvitation,
} from '#persistence';
import { actAs, PublicAddress, SecretBox } from '#platform';
import { CachedPolicy } from '#settings';
import { dealsWith, partnerNamed } from '#sharing';

/** A person at another server accepts an invitation of one of our users: each becomes a contact of the other. */
@Injectable()
export class TakeAcceptance {
  constructor(
    private readonly policy: CachedPolicy,
    private readonly accounts: AccountDirectory,
    private readonly peers: PeerRepository,
    private readonly invitations: InvitationRepository,
    private readonly contacts: ContactRepository,
    private readonly secrets: SecretBox,
    private readonly address: PublicAddress,
    private readonly database: Database,
  ) {}

  /**
   * @param prove finds out whether the accepting person's server sent it
   * @returns the inviting account
   * @throws FederationRefused
   */
  async take(accepted: AcceptedInvitation, prove: Prove): Promise<PresentedPerson> {
    const hostKey = peerKeyOf(accepted.person);
    actAs({ kind: 'partner', hostKey });
    await this.assertDealtWith(accepted);
    const tokenHmac = this.secrets.lookup(accepted.token.reveal());
    const invitation = usable(await this.invitations.find(tokenHmac));
    const inviter = await this.inviterOf(invitation);
    await prove(hostKey);
    // A caller without an invitation must not create a partner.
    const peer = await this.peers.ensure(hostKey);
    await this.database.transaction(async (transaction) => {
      const { id } = usable(await this.invitations.lock(transaction, tokenHmac));
      await this.invitations.accept(transaction, id);
      const { person, name, email } = accepted;
      await this.contacts.keep(transaction, {
        uid: inviter.uid,
        peerId: peer.id,
        remoteUser: person.user,
        person: person.person,
        names: namesOf(person),
        displayName: name,
        email,
      });
    });
    return { userId: inviter.uid, email: inviter.email ?? '', name: inviter.displayName };
  }

  /** @throws FederationRefused incoming-disabled, partner-not-allowed, field-invalid for one of our own people */
  private async assertDealtWith({ person }: AcceptedInvitation): Promise<void> {
    const policy = await this.policy.current();
    const { incoming, outgoing } = policy.federation;
    if (!incoming && !outgoing) throw new FederationRefused('incoming-disabled');
    const hostKey = peerKeyOf(person);
    if (hostKey === hostAt(this.address.url))
      throw new FederationRefused('field-invalid', 'recipientProvider');
    const partner = partnerNamed(hostKey, await this.peers.regarded(hostKey));
    if (!dealsWith(policy, partner)) throw new FederationRefused('partner-not-allowed');
  }

  private async inviterOf({ uid }: PresentedInvitation): Promise<Account> {
    const account = await this.accounts.find(uid);
    if (!account?.enabled) throw new FederationRefused('invitation-unknown');
    return account;
  }
}

/** @throws FederationRefused */
function usable(invitation: PresentedInvitation | undefined): PresentedInvitation {
  if (!invitation) throw new FederationRefused('invitation-unknown');
  if (invitation.isAccepted) throw new FederationRefused('invitation-used');
  if (invitation.isOver) throw new FederationRefused('invitation-over');
  return invitation;
}
