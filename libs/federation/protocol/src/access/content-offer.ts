/** The part of an offer that says how its content is accessed. */
export interface ContentOffer {
  readonly dialect: string;
  readonly providerId: string;
  readonly name: string;
  /** The stored value; any member may be missing. */
  readonly access: Readonly<Record<string, unknown>>;
}

/**
 * Credential for content: the shared secret as user name without a password, the secret as bearer token, an access
 * token for which the secret was exchanged, or user name and password of a public link.
 */
export type ContentKey = 'basic' | 'bearer' | 'token' | 'link';
