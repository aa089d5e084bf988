import { Inject, Injectable } from '@nestjs/common';
import { PartnerLinks, PeerProfiles } from '#federation/client';
import { acceptAwaited } from '#federation/exchange';
import { localCloudId, readLinkKeys, spellCloudId, type LinkAnswer } from '#federation/protocol';
import { AccountDirectory } from '#identity';
import { ForeignLinkRepository, PeerRepository, type PeerRow, type WaitingLink } from '#persistence';
import { actingFor, LOGGER, PublicAddress, SecretBox, type Logger } from '#platform';
import { CachedPolicy } from '#settings';
import { partnerAccess } from '#sharing';
import { ReceivedShareAcceptance } from '#storage';
import { MountLink, type LinkHindrance } from './mount-link';

const DISCOVERY_BUDGET_MS = 10_000;

type Refused = {
  readonly kind: 'refused';
  readonly reason: LinkHindrance | 'not-understood' | 'barred' | 'full';
  readonly words: string;
};
type Outcome = Extract<LinkAnswer, { kind: 'offered' }> | Refused | { readonly kind: 'mounted' };

const refused = (reason: Refused['reason'], words = ''): Refused => ({ kind: 'refused', reason, words });

/**
 * Has another server offer one of our users what a public link there shows; what it offers is accepted. A link of a server that
 * offers none is mounted as it is.
 */
@Injectable()
export class AskForLink {
  constructor(
    private readonly links: ForeignLinkRepository,
    private readonly peers: PeerRepository,
    private readonly profiles: PeerProfiles,
    private readonly partner: PartnerLinks,
    private readonly mounts: MountLink,
    private readonly acceptance: ReceivedShareAcceptance,
    private readonly accounts: AccountDirectory,
    private readonly policy: CachedPolicy,
    private readonly secrets: SecretBox,
    private readonly address: PublicAddress,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** One that was asked for already is left as it is. */
  async ask(linkId: number): Promise<void> {
    const link = await this.links.waiting(linkId);
    const peer = link && (await this.peers.findById(link.peerId));
    if (!peer) return;
    const outcome = await this.outcomeOf(link, peer);
    const reason = outcome.kind === 'refused' ? outcome.reason : undefined;
    if (outcome.kind === 'refused') await this.refuse(link, outcome);
    if (outcome.kind === 'offered') await this.links.asked(linkId, outcome.providerId);
    if (outcome.kind !== 'mounted') await acceptAwaited(this.acceptance, link.uid, peer.id);
    this.logger.info(
      { subsystem: 'foreign-links', partner: peer.hostKey, reason },
      'a partner was asked for what a public link shows',
    );
  }

  private async outcomeOf(link: WaitingLink, peer: PeerRow): Promise<Outcome> {
    const { uid, sealedKeys } = link;
    const policy = await this.policy.current();
    const isOpen = policy.federation.incoming && partnerAccess(policy, 'incoming', peer) === 'open';
    const account = await this.accounts.find(uid);
    const keys = readLinkKeys(this.secrets.open(sealedKeys));
    if (!isOpen || peer.paused || !account?.enabled || !keys) return refused('barred');
    const found = await this.profiles.of(peer, { budgetMs: DISCOVERY_BUDGET_MS });
    if (found.kind !== 'partner')
      return refused(found.kind === 'no-partner' ? 'not-understood' : 'unreachable');
    const shareWith = spellCloudId(localCloudId(uid, this.address.url), 'scheme-unless-https');
    const answer = await this.partner.ask(found.profile, keys, shareWith);
    switch (answer.kind) {
      case 'offered':
        return answer;
      case 'refused': {
        const cause = await this.mounts.causeOf(peer, found.profile, keys);
        return refused(cause, cause === 'refused' ? answer.words : '');
      }
      case 'later':
        return refused('unreachable');
      case 'unsupported': {
        const hindrance = await this.mounts.mount(link, peer, found.profile, keys);
        return hindrance ? refused(hindrance) : { kind: 'mounted' };
      }
    }
  }

  private refuse({ id, uid }: WaitingLink, { reason, words }: Refused): Promise<void> {
    return actingFor({ kind: 'user', uid }, () => this.links.refuse(id, reason, words));
  }
}
