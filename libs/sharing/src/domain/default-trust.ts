/** Access of partners without a decision of an administrator; none is trusted by default. */
export const DEFAULT_TRUSTS = ['allowed', 'denied', 'invited'] as const;
export type DefaultTrust = (typeof DEFAULT_TRUSTS)[number];

/** `incoming`: what partners offer to our users; `outgoing`: what our users give to theirs. */
export type ShareDirection = 'incoming' | 'outgoing';
