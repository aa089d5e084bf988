import type { PeerProduct } from './peer-product';

/** Product of a server of a reshare, as far as it decides which server reports the end to which. */
export type ReshareProduct = 'owncloud' | 'ours' | 'other';
export type ReshareSide = 'owner' | 'resharer' | 'recipient';
export type ReshareProducts = Readonly<Record<ReshareSide, ReshareProduct>>;

/** A message about the end of a share that the owner's server made for the resharer. Its secret is always that of this share. */
export interface ReshareEnd {
  readonly from: ReshareSide;
  readonly to: ReshareSide;
  readonly kind: 'share-unshared' | 'share-declined' | 'reshare-undone';
  /** The server whose id of the share is used: the recipient's server knows only the id of the owner's server. */
  readonly idOf: 'owner' | 'resharer';
}

/**
 * Messages that end a reshare, by the products of its three servers and by the side that ends it. The resharer's
 * server notifies the recipient's
 * server itself, unless both the resharer's and the owner's server are ours. Of all owner's servers, only ours passes
 * the resharer's end on: ownCloud
 * removes the share silently, and others are not known to do more. A second message about the same end changes nothing
 * at the recipient's server.
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

/** Whether our server has to notify the recipient's server about the end of a share that the owner's server made for us. */
export function recipientIsOurs(owner: PeerProduct): boolean {
  // The recipient's product changes only the form of the message, not its sender.
  const products = { owner: reshareProduct(owner), resharer: 'ours', recipient: 'other' } as const;
  return reshareEnds(products, 'resharer').some(({ from, to }) => from === 'resharer' && to === 'recipient');
}

function reshareProduct(product: PeerProduct): ReshareProduct {
  if (product === 'drawbridge') return 'ours';
  return product === 'owncloud10' ? 'owncloud' : 'other';
}
