/** The part of an offer that says how its content is reached. */
export interface ContentOffer {
  readonly dialect: string;
  readonly providerId: string;
  readonly name: string;
  /** As it was stored with the share; anything may be missing. */
  readonly access: Readonly<Record<string, unknown>>;
}

/**
 * Credential for content: the shared secret as user name without a password, the secret as bearer token, an access
 * token that the secret was exchanged for, or user name and password of a public link.
 */
export type ContentKey = 'basic' | 'bearer' | 'token' | 'link';
