import { Inject, Injectable } from '@nestjs/common';
import { hostAt, linkKeysText, SecretText, type ForeignLink } from '#federation/protocol';
import { BudgetSpent, CallLimits } from '#identity';
import { PeerRepository } from '#persistence';
import { CONFIG, PublicAddress, SecretBox, type Config } from '#platform';
import { ForeignLinks } from '#queue';
import { CachedPolicy } from '#settings';
import {
  linkRefusalNamed,
  LinkRefused,
  partnerAccess,
  partnerNamed,
  readReceivedShare,
  type ReceivedShareView,
} from '#sharing';
import { RefusedAttempts } from '../audit/refused-attempts';
import { RemoteSharePorts } from '../remote-shares/remote-share-adapters';

/** Saves public links of other servers for users: a worker asks the other server, and the call waits for the result. */
@Injectable()
export class SaveLinkHere {
  constructor(
    private readonly policy: CachedPolicy,
    private readonly peers: PeerRepository,
    private readonly links: ForeignLinks,
    private readonly received: RemoteSharePorts,
    private readonly limits: CallLimits,
    private readonly secrets: SecretBox,
    private readonly address: PublicAddress,
    private readonly refused: RefusedAttempts,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * @param link undefined for an invalid address
   * @param password empty for none
   * @param name of the mount, if the link's server makes no offer with a name
   * @returns the mounted share; undefined if the other server has not made its offer yet
   * @throws LinkRefused
   */
  async save(
    uid: string,
    link: ForeignLink | undefined,
    password: string,
    name = '',
  ): Promise<ReceivedShareView | undefined> {
    if (!link) throw new LinkRefused('invalid');
    await this.assertWelcome(uid, link.hostKey);
    const peer = await this.peers.ensure(link.hostKey);
    const keys = { token: link.token, password: new SecretText(password), name };
    const wanted = {
      uid,
      peerId: peer.id,
      tokenHmac: this.secrets.lookup(link.token.reveal()),
      sealedKeys: this.secrets.seal(linkKeysText(keys)),
    };
    const settled = await this.links.save(wanted, this.config.FEDERATION_SYNC_WAIT);
    if (settled?.state === 'refused')
      throw new LinkRefused(linkRefusalNamed(settled.reason) ?? 'not-understood', settled.words);
    return settled && readReceivedShare(this.received, uid, settled.receivedShareId);
  }

  /** Only partners whose offers everybody may receive can offer the node of a link. @throws LinkRefused */
  private async assertWelcome(uid: string, hostKey: string): Promise<void> {
    const policy = await this.policy.current();
    if (!policy.federation.incoming) throw new LinkRefused('off');
    if (hostKey === hostAt(this.address.url)) throw new LinkRefused('own');
    const partner = partnerNamed(hostKey, await this.peers.regarded(hostKey));
    if (partnerAccess(policy, 'incoming', partner) !== 'open') {
      await this.refused.barredLink(hostKey);
      throw new LinkRefused('barred');
    }
    await this.limits.foreignLink(uid).catch((error: unknown) => {
      throw error instanceof BudgetSpent ? new LinkRefused('too-many') : error;
    });
  }
}
