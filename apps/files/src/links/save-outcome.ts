const OUTCOMES = { yes: 'saved', no: 'refused', later: 'tooMany' } as const;

/** Result of an attempt to save a link at another server. */
export type SaveOutcome = (typeof OUTCOMES)[keyof typeof OUTCOMES];

/** @param saved parameter of the link's page; undefined for none or an unknown one */
export function outcomeIn(saved: unknown): SaveOutcome | undefined {
  return typeof saved === 'string' && Object.hasOwn(OUTCOMES, saved)
    ? OUTCOMES[saved as keyof typeof OUTCOMES]
    : undefined;
}
