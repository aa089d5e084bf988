/** So few may be gone at once from however small a directory. */
const FEW = 5;

/** People, groups or memberships that are here, and that an answer of a directory does not have. */
export interface Loss {
  readonly of: 'people' | 'groups' | 'memberships';
  /** How many there are here. */
  readonly known: number;
  /** How many of them the answer does not have. */
  readonly gone: number;
}

/**
 * Reason not to take an answer over: it is empty, or has too much less.
 * @param greatestPart the part that may be gone at once, from 0 to 1
 */
export function reasonToHoldBack(losses: readonly Loss[], greatestPart: number): string | undefined {
  const isTooGreat = ({ of, known, gone }: Loss): boolean => {
    const leavesNone = of !== 'memberships' && gone === known;
    return (leavesNone || gone > FEW) && gone > known * greatestPart;
  };
  const found = losses.find(isTooGreat);
  return found && `${found.gone} of ${found.known} ${found.of} would be gone`;
}
