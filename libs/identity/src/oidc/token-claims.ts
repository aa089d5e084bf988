import { errors, type JWTPayload } from 'jose';
import { z } from 'zod';
import { AuthenticationFailed } from '../authentication-failed';
import { completeClaims, type Claims } from './complete-claims';
import type { Issuer } from './issuer';
import type { OidcConfig, OidcSettings } from './oidc-settings';
import { readJson } from './read-json';
import { CLOCK_SKEW_SECONDS, isOutage, readSignedToken } from './signed-token';

/** Seconds after which the issuer is asked again about an opaque token. */
const ASKED_AGAIN_SECONDS = 60;
const RETRY_SECONDS = 5;
const COMPACT_JWT = /^[\w-]+\.[\w-]*\.[\w-]*$/;

const ANSWER = z.looseObject({
  active: z.boolean(),
  exp: z.number().optional(),
  iat: z.number().optional(),
  iss: z.string().optional(),
  aud: z.union([z.string(), z.array(z.string())]).optional(),
});
type Answer = z.infer<typeof ANSWER>;

/** A token that the issuer confirmed. */
export interface CheckedToken {
  readonly claims: Claims;
  /** Time of its creation by the issuer's clock, in seconds since 1970. */
  readonly issuedAt: number;
  /** Time until which it is not checked again, in milliseconds since 1970. */
  readonly until: number;
}

/** Checks access tokens of one issuer for this instance. */
export class TokenClaims {
  constructor(
    readonly issuer: Issuer,
    private readonly settings: OidcSettings,
    readonly config: OidcConfig,
  ) {}

  /**
   * The claims of a valid token. Claims that it lacks are requested from the issuer.
   * @throws AuthenticationFailed `wrong`; `busy` while the issuer cannot be asked
   */
  async read(token: string): Promise<CheckedToken> {
    try {
      const checked = COMPACT_JWT.test(token) ? await this.verify(token) : await this.introspect(token);
      return { ...checked, claims: await completeClaims(this, token, checked.claims) };
    } catch (error) {
      if (isOutage(error)) throw new AuthenticationFailed('busy', RETRY_SECONDS);
      throw error instanceof errors.JOSEError ? new AuthenticationFailed('wrong') : error;
    }
  }

  private async verify(token: string): Promise<CheckedToken> {
    const { payload, protectedHeader } = await readSignedToken(token, this.issuer, {
      audience: this.settings.audience,
      algorithms: this.config.OIDC_ALGORITHMS,
      requiredClaims: ['exp', 'iat', 'sub'],
    });
    if (!isForAccess(protectedHeader.typ, payload)) throw new AuthenticationFailed('wrong');
    return {
      claims: payload,
      issuedAt: payload.iat!,
      until: (payload.exp! + CLOCK_SKEW_SECONDS) * 1000,
    };
  }

  private async introspect(token: string): Promise<CheckedToken> {
    const { introspection_endpoint: endpoint } = await this.issuer.describe();
    const { client } = this.settings;
    if (endpoint === undefined || client === undefined) throw new AuthenticationFailed('wrong');
    const credentials = [client.id, client.secret].map(encodeURIComponent).join(':');
    const reply = await readJson(endpoint, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
      body: new URLSearchParams({ token, token_type_hint: 'access_token' }),
    });
    const answer = ANSWER.safeParse(reply).data;
    if (!answer || !this.isForUs(answer)) throw new AuthenticationFailed('wrong');
    return { claims: answer, issuedAt: answer.iat ?? Infinity, until: memoryOf(answer) };
  }

  private isForUs({ active, exp, iss, aud }: Answer): boolean {
    const audiences = typeof aud === 'string' ? [aud] : (aud ?? []);
    const isLive = active && (exp === undefined || exp * 1000 > Date.now());
    const isOfIssuer = iss === undefined || iss === this.issuer.name;
    return isLive && isOfIssuer && audiences.some((one) => this.settings.audience.includes(one));
  }
}

/** The issuer is asked each time about a token of unknown age, because memory could not tell whether a sign-out ended it. */
function memoryOf({ exp, iat }: Answer): number {
  if (iat === undefined) return 0;
  return Math.min(Date.now() + ASKED_AGAIN_SECONDS * 1000, (exp ?? Infinity) * 1000);
}

/**
 * Whether a token is an access token, and not an ID or logout token, which name the same issuer, and clients as audience.
 * Source: RFC 9068, section 2.1; OpenID Connect Core, section 2, and Back-Channel Logout, section 2.4. Keycloak names kinds in a claim.
 */
function isForAccess(type: string | undefined, { typ: kind, nonce, at_hash, events }: JWTPayload): boolean {
  const isNamedSo = type === undefined || /^(application\/)?(at\+jwt|jwt)$/i.test(type);
  const isKindOfAccess = kind === undefined || kind === 'Bearer';
  return isNamedSo && isKindOfAccess && [nonce, at_hash, events].every((claim) => claim === undefined);
}
