import { SHARE_KINDS, type ShareKind } from '#sharing';

const typesOf = (asked: (kind: ShareKind) => boolean): string =>
  `(${[...SHARE_KINDS.values()]
    .filter(asked)
    .map(({ type }) => type)
    .join(', ')})`;

/** Types with at most one share per node and recipient; the condition of the index `share_once`. */
export const ONCE_PER_RECIPIENT = typesOf((kind) => kind.isOncePerRecipient);

/** Types whose recipients have a place in their tree on this instance. */
export const PLACED_HERE = typesOf((kind) => kind.isPlacedHere);
