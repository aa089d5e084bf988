import type { PeerProduct } from './peer-product';

/** A server of a reshare, as far as its product decides who tells whom of the end. */
export type ReshareProduct = 'owncloud' | 'ours' | 'other';
export type ReshareSide = 'owner' | 'resharer' | 'recipient';
export type ReshareProducts = Readonly<Record<ReshareSide, ReshareProduct>>;

/** A message about the end of a share that the owner's server made for the resharer. Its secret is always that of this share. */
export interface ReshareEnd {
  readonly from: ReshareSide;
  readonly to: ReshareSide;
  readonly kind: 'share-unshared' | 'share-declined' | 'reshare-undone';
  /** The server whose id of the share it carries: the recipient knows that of the owner's server only. */
  readonly idOf: 'owner' | 'resharer';
}

/**
 * Messages that end a reshare, by the products of its three servers and by who ends it. The resharer's server tells the recipient's
 * itself, but for our own where the owner's is ours too. Of the owners' servers only ours passes the resharer's end on: ownCloud
 * removes the share and is silent, and others are not known to do more. A recipient's server that hears it twice does nothing the second time.
 */
export function reshareEnds(
  { owner, resharer }: ReshareProducts,
  endedBy: ReshareSide,
): readonly ReshareEnd[] {
  switch (endedBy) {
    case 'resharer':
      return [
        { from: 'resharer', to: 'owner', kind: 'reshare-undone', idOf: 'owner' },
        ...(owner === 'ours' ? [toRecipient('owner')] : []),
        ...(owner === 'ours' && resharer === 'ours' ? [] : [toRecipient('resharer')]),
      ];
    case 'owner':
      return [
        toRecipient('owner'),
        { from: 'owner', to: 'resharer', kind: 'reshare-undone', idOf: 'resharer' },
      ];
    case 'recipient':
      return [
        { from: 'recipient', to: 'owner', kind: 'share-declined', idOf: 'owner' },
        { from: 'owner', to: 'resharer', kind: 'share-declined', idOf: 'resharer' },
      ];
  }
}

const toRecipient = (from: 'owner' | 'resharer'): ReshareEnd => ({
  ...{ from, to: 'recipient', kind: 'share-unshared', idOf: 'owner' },
});

/** Whether it is on us to tell the recipient's server of the end of a share that the owner's server made for us. */
export function recipientIsOurs(owner: PeerProduct): boolean {
  // The recipient's product changes who is told how, and not by whom.
  const products = { owner: reshareProduct(owner), resharer: 'ours', recipient: 'other' } as const;
  return reshareEnds(products, 'resharer').some(({ from, to }) => from === 'resharer' && to === 'recipient');
}

function reshareProduct(product: PeerProduct): ReshareProduct {
  if (product === 'drawbridge') return 'ours';
  return product === 'owncloud10' ? 'owncloud' : 'other';
}
