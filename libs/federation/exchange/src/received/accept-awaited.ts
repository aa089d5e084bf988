import { isMounted } from '#sharing';
import type { AcceptancePorts, AwaitedLink, AwaitedOffer } from '../ports/acceptance';
import { isOfUnknownSender } from './auto-accept';
import { acceptReceived } from './decide-received';

/**
 * Accepts offers that a server makes because one of our users saves its public link. If the server
 * named no id and makes more offers than were requested, the user decides on all of them. Called when an offer was stored for a user who
 * awaited it, and when a server said that it will send one: the later call finds both.
 */
export async function acceptAwaited(ports: AcceptancePorts, uid: string, peerId: number): Promise<void> {
  const { shareFolder } = await ports.policy.current();
  await ports.change({ uid }, async (shares) => {
    const links = await shares.lockLinks(uid, peerId);
    if (links.length === 0) return;
    const offers = await shares.offersFor(uid, peerId, links);
    for (const { link, offer } of pairsOf(links, offers)) {
      const share = await shares.lock(offer.id, uid);
      if (!share || isOfUnknownSender(share)) continue;
      if (share.state === 'pending') await acceptReceived(shares, share, shareFolder);
      else if (!isMounted(share)) continue;
      await shares.saveLink(link.id, share.id);
    }
  });
}

/** Each link with its offer: by id if the link's server named one, otherwise in the order of arrival. */
function pairsOf(
  links: readonly AwaitedLink[],
  offers: readonly AwaitedOffer[],
): readonly { readonly link: AwaitedLink; readonly offer: AwaitedOffer }[] {
  const named = new Set(links.map(({ providerId }) => providerId));
  const nameless = links.filter(({ providerId }) => providerId === null);
  const others = offers.filter(({ providerId }) => !named.has(providerId));
  const isClear = others.length <= nameless.length;
  return links.flatMap((link) => {
    const offer =
      link.providerId === null
        ? others[isClear ? nameless.indexOf(link) : -1]
        : offers.find(({ providerId }) => providerId === link.providerId);
    return offer ? [{ link, offer }] : [];
  });
}
