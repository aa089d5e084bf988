import { Issuer, IssuerFailure, oidcSettings, type IssuerDocument, type OidcSettings } from '#identity';
import { ConfigError, type Config } from '#platform';
import { failed, ok, warning, type Check, type Finding } from './finding';

/** Checks whether the issuer of OpenID Connect describes itself, and its description fits the configuration. */
export const ISSUER_CHECK: Check = {
  name: 'issuer',
  look: async ({ config }) => {
    try {
      const settings = oidcSettings(config);
      if (!settings) return [ok('OIDC_ISSUER', 'none: accounts sign in by passwords of this instance')];
      const issuer = new Issuer(settings.issuer);
      const document = await issuer.describe();
      const algorithms = await issuer.algorithms();
      return [
        ok('OIDC_ISSUER', 'describes itself'),
        algorithmsFinding(algorithms, config),
        ok('OIDC_AUDIENCE', settings.audience.join(', ')),
        ...clientFindings(settings, document),
      ];
    } catch (error) {
      if (error instanceof ConfigError)
        return [failed('OIDC_ISSUER', error.message, 'Set it, or leave OIDC_ISSUER out.')];
      if (!(error instanceof IssuerFailure)) throw error;
      return [
        failed(
          'OIDC_ISSUER',
          error.message,
          'Write it exactly as the issuer names itself, and let this machine reach it.',
        ),
      ];
    }
  },
};

/** Keys without an algorithm can be used with any of their type. */
function algorithmsFinding(found: readonly (string | undefined)[], config: Config): Finding {
  const usable = found.filter((one) => one === undefined || config.OIDC_ALGORITHMS.includes(one));
  const names = [...new Set(found.map((one) => one ?? 'of any algorithm'))].join(', ');
  return usable.length > 0
    ? ok('keys', `${found.length}: ${names}`)
    : failed('keys', names || 'none', 'Add an algorithm of the issuer to OIDC_ALGORITHMS.');
}

function clientFindings({ client }: OidcSettings, document: IssuerDocument): Finding[] {
  if (!client)
    return [ok('OIDC_CLIENT_ID', 'none: the pages take passwords alone, and access tokens have to be JWTs')];
  const found =
    document.authorization_endpoint && document.token_endpoint
      ? ok('OIDC_CLIENT_ID', 'the pages sign in at the issuer')
      : failed('OIDC_CLIENT_ID', 'the issuer offers no sign-in by code', 'Use an issuer that does.');
  return document.introspection_endpoint
    ? [found]
    : [found, warning('introspection', 'not offered', 'Have the issuer make access tokens that are JWTs.')];
}
