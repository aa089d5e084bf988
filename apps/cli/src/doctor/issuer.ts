import { Issuer, IssuerFailure, oidcSettings } from '#identity';
import { ConfigError } from '#platform';
import { failed, ok, warning, type Check } from './finding';

/** Whether the issuer of OpenID Connect describes itself, and tokens can be checked as they are configured. */
export const ISSUER_CHECK: Check = {
  name: 'issuer',
  look: async ({ config }) => {
    try {
      const settings = oidcSettings(config);
      if (!settings) return [ok('OIDC_ISSUER', 'none: accounts sign in by passwords of this instance')];
      const document = await new Issuer(settings.issuer).describe();
      const found = [
        ok('OIDC_ISSUER', 'describes itself'),
        ok('OIDC_AUDIENCE', settings.audience.join(', ')),
      ];
      if (config.OIDC_INTROSPECTION_CLIENT_ID && !document.introspection_endpoint)
        found.push(
          warning('introspection', 'not offered', 'Have the issuer make access tokens that are JWTs.'),
        );
      return found;
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
