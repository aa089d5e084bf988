/** Kinds of sources of identities. */
type SourceKind = 'oidc' | 'ldap' | 'scim';

/** A source of identities: its kind, and its name within that kind, such as the issuer. */
export interface SourceName {
  readonly kind: SourceKind;
  readonly source: string;
}
