import type { IdentitySource } from '../directories/identity-source';
import { ConfigError, type Config } from '#platform';

export type OidcConfig = Pick<Config, Extract<keyof Config, `OIDC_${string}`>>;

/** Registration of this instance at its issuer. */
export interface OidcClient {
  readonly id: string;
  readonly secret: string;
}

export interface OidcSettings {
  readonly issuer: string;
  readonly audience: readonly string[];
  readonly client: OidcClient | undefined;
}

/** Configuration of an issuer; undefined if none is set. @throws ConfigError if a required part is missing */
export function oidcSettings(config: OidcConfig): OidcSettings | undefined {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: id, OIDC_CLIENT_SECRET: secret } = config;
  if (issuer === undefined) return undefined;
  const audience = (config.OIDC_AUDIENCE ?? '').split(',').flatMap((part) => part.trim() || []);
  if (audience.length === 0) throw new ConfigError('OIDC_AUDIENCE is missing: OIDC_ISSUER needs it.');
  if (!config.OIDC_GROUPS_CLAIM && (config.OIDC_ALLOWED_GROUPS ?? config.OIDC_ADMIN_GROUPS))
    throw new ConfigError('OIDC_GROUPS_CLAIM is missing: rules about groups need it.');
  if ((id === undefined) !== (secret === undefined))
    throw new ConfigError('OIDC_CLIENT_ID and OIDC_CLIENT_SECRET are needed together.');
  return { issuer, audience, client: id && secret ? { id, secret } : undefined };
}

/** The issuer as a source of accounts. @throws ConfigError if none is configured */
export function oidcSource(config: OidcConfig): IdentitySource {
  if (config.OIDC_ISSUER === undefined) throw new ConfigError('OIDC_ISSUER is not set.');
  const manages = ['displayName', 'email', 'password'] as const;
  return {
    kind: 'oidc',
    source: config.OIDC_ISSUER,
    manages: config.OIDC_QUOTA_CLAIM ? [...manages, 'quota'] : manages,
    takenNames: config.OIDC_TAKEN_NAMES,
    groupsOfSameName: config.OIDC_GROUPS_OF_SAME_NAME,
  };
}
