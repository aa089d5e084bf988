import { Injectable } from '@nestjs/common';
import type { Prove } from '#federation/exchange';
import { FederationRefused, namesOf, peerKeyOf, type ShareRequest } from '#federation/protocol';
import { AccountDirectory } from '#identity';
import { ContactRepository, PeerRepository, ShareRequestRepository } from '#persistence';
import { actAs } from '#platform';
import { CachedPolicy } from '#settings';
import { partnerAccess, partnerNamed, phrase } from '#sharing';

/** Requests that wait for one account. */
const MOST_OPEN = 50;

/**
 * Takes a request of a partner's user for a share from one of our users. The requester must be a contact of our user.
 * The answer does not show whether our user has such a file, because file ids could be guessed.
 */
@Injectable()
export class TakeShareRequest {
  constructor(
    private readonly policy: CachedPolicy,
    private readonly accounts: AccountDirectory,
    private readonly peers: PeerRepository,
    private readonly contacts: ContactRepository,
    private readonly requests: ShareRequestRepository,
  ) {}

  /** @throws FederationRefused outgoing-disabled, partner-not-allowed, invitation-needed, and those of `prove` */
  async take({ ownerUid, requester, nodeId }: ShareRequest, prove: Prove): Promise<void> {
    const hostKey = peerKeyOf(requester);
    actAs({ kind: 'partner', hostKey });
    const policy = await this.policy.current();
    if (!policy.federation.outgoing) throw new FederationRefused('outgoing-disabled');
    const peer = await this.peers.find(hostKey);
    const standing = partnerNamed(hostKey, peer ?? (await this.peers.regarded(hostKey)));
    if (partnerAccess(policy, 'outgoing', standing) === 'closed')
      throw new FederationRefused('partner-not-allowed');
    await prove(hostKey);
    const owner = await this.accounts.find(ownerUid);
    const isHeard =
      peer && owner?.enabled && (await this.contacts.knowsOneOf(owner.uid, peer.id, namesOf(requester)));
    if (!isHeard) throw new FederationRefused('invitation-needed');
    const name = nodeId === null ? undefined : await this.requests.nameOf(owner.uid, nodeId);
    if (nodeId === null || name === undefined) return;
    const subject = phrase('requested', { requester: requester.canonical, name });
    const message = phrase('requestedAdvice', {});
    await this.requests.tell(
      owner.uid,
      { nodeId, requester: requester.canonical, subject, message },
      MOST_OPEN,
    );
  }
}
