import { SHARE_KINDS, type ShareKind } from '#sharing';

const typesOf = (asked: (kind: ShareKind) => boolean): string =>
  `(${[...SHARE_KINDS.values()]
    .filter(asked)
    .map(({ type }) => type)
    .join(', ')})`;

/** Types of which a node has at most one share with a recipient; the condition of the index `share_once`. */
export const ONCE_PER_RECIPIENT = typesOf((kind) => kind.isOncePerRecipient);

/** Types whose recipients have a place in their tree here. */
export const PLACED_HERE = typesOf((kind) => kind.isPlacedHere);
