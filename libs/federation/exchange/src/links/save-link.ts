import {
  localCloudId,
  namesNoSuchLink,
  readLinkKeys,
  spellCloudId,
  type LinkAnswer,
} from '#federation/protocol';
import { partnerAccess } from '#sharing';
import type { LinkToSave, SaveLinkPorts } from '../ports/foreign-links';
import type { ReachedPartner } from '../ports/reached-partners';
import { acceptAwaited } from '../received/accept-awaited';
import { causeOfRefusal, mountLink, type LinkHindrance } from './mount-link';

type Refused = {
  readonly kind: 'refused';
  readonly reason: LinkHindrance | 'not-understood' | 'barred' | 'full';
  readonly words: string;
};
type Outcome = Extract<LinkAnswer, { kind: 'offered' }> | Refused | { readonly kind: 'mounted' };

const refused = (reason: Refused['reason'], words = ''): Refused => ({ kind: 'refused', reason, words });

/** A server that was asked to share its link: its host, and the reason if the link was not saved; undefined if it was. */
export interface AskedForLink {
  readonly hostKey: string;
  readonly reason: string | undefined;
}

/**
 * Asks another server to offer the node of a public link to one of our users, and accepts the offer. If the
 * server makes no offers for links, the link itself is mounted.
 * @returns undefined for a link that was already asked for, which stays as it is
 */
export async function saveLink<Partner extends ReachedPartner>(
  ports: SaveLinkPorts<Partner>,
  linkId: number,
): Promise<AskedForLink | undefined> {
  const { links, partners, acceptance } = ports;
  const link = await links.waiting(linkId);
  const partner = link && (await partners.find(link.peerId));
  if (!partner) return undefined;
  const outcome = await outcomeOf(ports, link, partner);
  if (outcome.kind === 'refused') await links.refuse(link, outcome.reason, outcome.words);
  if (outcome.kind === 'offered') await links.asked(linkId, outcome.providerId);
  if (outcome.kind !== 'mounted') await acceptAwaited(acceptance, link.uid, partner.id);
  return {
    hostKey: partner.hostKey,
    reason: outcome.kind === 'refused' ? outcome.reason : undefined,
  };
}

async function outcomeOf<Partner extends ReachedPartner>(
  ports: SaveLinkPorts<Partner>,
  link: LinkToSave,
  partner: Partner,
): Promise<Outcome> {
  const policy = await ports.policy.current();
  const isOpen = policy.federation.incoming && partnerAccess(policy, 'incoming', partner) === 'open';
  const account = await ports.accounts.find(link.uid);
  const keys = readLinkKeys(ports.secrets.open(link.sealedKeys));
  if (!isOpen || partner.paused || !account?.enabled || !keys) return refused('barred');
  const found = await ports.partners.profileOf(partner);
  if (found.kind !== 'partner')
    return refused(found.kind === 'no-partner' ? 'not-understood' : 'unreachable');
  const { profile } = found;
  const shareWith = spellCloudId(localCloudId(link.uid, ports.publicUrl), 'scheme-unless-https');
  const answer = await ports.calls.ask(profile, keys, shareWith);
  switch (answer.kind) {
    case 'offered':
      return answer;
    case 'refused': {
      const cause = namesNoSuchLink(answer.words)
        ? 'unknown-link'
        : await causeOfRefusal(ports, { partner, profile, keys });
      return refused(cause, cause === 'refused' ? answer.words : '');
    }
    case 'later':
      return refused('unreachable');
    case 'unsupported': {
      const hindrance = await mountLink(ports, link, { partner, profile, keys });
      return hindrance ? refused(hindrance) : { kind: 'mounted' };
    }
  }
}
