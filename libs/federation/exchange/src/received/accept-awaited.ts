import { isMounted } from '#sharing';
import type { AcceptancePorts, AwaitedLink, AwaitedOffer } from '../ports/acceptance';
import { isOfUnknownSender } from './auto-accept';
import { acceptReceived } from './decide-received';

/**
 * Accepts shares that a server offers because one of our users saves a public link there: they asked for it. Where the server
 * named no id and offers more than was asked for, the user decides on all of it. Called when an offer was stored, and when a
 * server said that it will come: the later of the two finds both.
 */
export async function acceptAwaited(ports: AcceptancePorts, uid: string, peerId: number): Promise<void> {
  if (!(await ports.expectsOffers(uid, peerId))) return;
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

/** Each link with its offer: by id where the link's server named one, in the order of coming where it did not. */
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
