/** Number of entries that may always disappear at once, even from a small directory. */
const FEW = 5;

/** People, groups or memberships that are known here, and missing in an answer of a directory. */
export interface Loss {
  readonly of: 'people' | 'groups' | 'memberships';
  /** Number of known entries. */
  readonly known: number;
  /** Number of missing entries. */
  readonly gone: number;
}

/**
 * Reason not to apply an answer: it is empty, or lacks too many entries.
 * @param greatestPart the part that may disappear at once, from 0 to 1
 */
export function reasonToHoldBack(losses: readonly Loss[], greatestPart: number): string | undefined {
  const isTooGreat = ({ of, known, gone }: Loss): boolean => {
    const leavesNone = of !== 'memberships' && gone === known;
    return (leavesNone || gone > FEW) && gone > known * greatestPart;
  };
  const found = losses.find(isTooGreat);
  return found && `${found.gone} of ${found.known} ${found.of} would be gone`;
}
