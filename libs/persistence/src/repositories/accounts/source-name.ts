/** Kinds of sources of identities. */
type SourceKind = 'oidc' | 'ldap' | 'scim';

/** A source of identities: its kind, and its name among those of that kind, such as the issuer. */
export interface SourceName {
  readonly kind: SourceKind;
  readonly source: string;
}
