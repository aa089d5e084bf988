/**
 * Effect on a share when its initiator loses access to the node: `keep` leaves it, `follow` reduces it to the permissions that
 * they still have.
 */
export const RESHARE_RULES = ['keep', 'follow'] as const;
