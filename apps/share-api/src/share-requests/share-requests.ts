import { Inject, Injectable } from '@nestjs/common';
import { BudgetSpent, CallLimits } from '#identity';
import {
  ContactRepository,
  PeerRepository,
  SentShareRequestRepository,
  type SentShareRequestRow,
} from '#persistence';
import { CONFIG, type Config } from '#platform';
import { Verdicts } from '#queue';
import { CachedPolicy } from '#settings';
import { partnerAccess, partnerNamed } from '#sharing';
import { ShareRequestRefused } from './share-request-refused';
import { readWantedResource } from './wanted-resource';

/** Requests that one account may have; each is forgotten after 30 days. */
const MOST = 50;

/** Requests of users to their contacts at other servers for shares. */
@Injectable()
export class ShareRequests {
  constructor(
    private readonly policy: CachedPolicy,
    private readonly contacts: ContactRepository,
    private readonly peers: PeerRepository,
    private readonly requests: SentShareRequestRepository,
    private readonly verdicts: Verdicts,
    private readonly limits: CallLimits,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Asks a contact for a share, once for each file. Waits a short time for the answer of their server, which is the same whether there
   * is such a file or not.
   * @throws ShareRequestRefused
   */
  async ask(uid: string, contactId: number, share: string): Promise<SentShareRequestRow> {
    const policy = await this.policy.current();
    if (!policy.federation.incoming) throw new ShareRequestRefused('off');
    const contact = await this.contacts.find(uid, contactId);
    if (!contact) throw new ShareRequestRefused('contact-unknown');
    const { hostKey, peerId, remoteUser } = contact;
    const partner = partnerNamed(hostKey, await this.peers.regarded(hostKey));
    if (partnerAccess(policy, 'incoming', partner) === 'closed') throw new ShareRequestRefused('barred');
    const resource = readWantedResource(share, hostKey);
    if (resource === undefined) throw new ShareRequestRefused('share-invalid');
    await this.assertWithinBudget(uid);
    const owner = `${remoteUser}@${hostKey}`;
    const added = await this.requests.add({ uid, peerId, owner, resource }, MOST);
    if (!added) throw new ShareRequestRefused('too-many');
    if (added.messageId !== null) await this.verdicts.wait(added.messageId, this.config.FEDERATION_SYNC_WAIT);
    const made = await this.requests.find(uid, added.id);
    // The user removed the request at this moment.
    if (!made) throw new ShareRequestRefused('nothing-there');
    return made;
  }

  /** The user's requests, the latest first. */
  list(uid: string): Promise<SentShareRequestRow[]> {
    return this.requests.list(uid);
  }

  /** A request that was already sent is not removed at the other server. @throws ShareRequestRefused nothing-there */
  async takeBack(uid: string, id: number): Promise<void> {
    if (!(await this.requests.remove(uid, id))) throw new ShareRequestRefused('nothing-there');
  }

  private async assertWithinBudget(uid: string): Promise<void> {
    await this.limits.shareRequest(uid).catch((error: unknown) => {
      throw error instanceof BudgetSpent ? new ShareRequestRefused('too-many') : error;
    });
  }
}
