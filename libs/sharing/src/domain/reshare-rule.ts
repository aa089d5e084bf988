/**
 * Effect on a share when its initiator loses access to the node: it goes on, or is reduced to the permissions that they
 * still have.
 */
export const RESHARE_RULES = ['keep', 'follow'] as const;
