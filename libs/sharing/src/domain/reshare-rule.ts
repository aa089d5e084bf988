/** What becomes of a share when its initiator loses access to the node: it goes on, or has what they still have. */
export const RESHARE_RULES = ['keep', 'follow'] as const;
