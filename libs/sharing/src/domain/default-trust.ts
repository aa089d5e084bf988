/** Access of partners about which no administrator has decided; none is trusted by default. */
export const DEFAULT_TRUSTS = ['allowed', 'denied', 'invited'] as const;
export type DefaultTrust = (typeof DEFAULT_TRUSTS)[number];

/** `incoming`: offers of partners to our users; `outgoing`: shares of our users with theirs. */
export type ShareDirection = 'incoming' | 'outgoing';
