import type { IdentitySource } from '../directories/identity-source';
import { ConfigError, type Config } from '#platform';

export type OidcConfig = Pick<Config, Extract<keyof Config, `OIDC_${string}`>>;

/** Configuration of an issuer; undefined where none is set. @throws ConfigError where its audience is missing */
export function oidcSettings(config: OidcConfig) {
  const { OIDC_ISSUER: issuer } = config;
  if (issuer === undefined) return undefined;
  const audience = (config.OIDC_AUDIENCE ?? '').split(',').flatMap((part) => part.trim() || []);
  if (audience.length === 0) throw new ConfigError('OIDC_AUDIENCE is missing: OIDC_ISSUER needs it.');
  if (config.OIDC_ALLOWED_GROUPS && !config.OIDC_GROUPS_CLAIM)
    throw new ConfigError('OIDC_GROUPS_CLAIM is missing: OIDC_ALLOWED_GROUPS needs it.');
  return { issuer, audience };
}

/** The issuer as a source of accounts. @throws ConfigError where none is configured */
export function oidcSource(config: OidcConfig): IdentitySource {
  if (config.OIDC_ISSUER === undefined) throw new ConfigError('OIDC_ISSUER is not set.');
  const manages = ['displayName', 'email', 'password'] as const;
  return {
    kind: 'oidc',
    source: config.OIDC_ISSUER,
    manages: config.OIDC_QUOTA_CLAIM ? [...manages, 'quota'] : manages,
    takenNames: config.OIDC_TAKEN_NAMES,
    groupsOfSameName: 'separate',
  };
}
