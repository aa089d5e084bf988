import { errors, jwtVerify, type JWTPayload } from 'jose';
import { z } from 'zod';
import { AuthenticationFailed } from '../authentication-failed';
import type { Issuer } from './issuer';
import type { OidcConfig } from './oidc-settings';
import { IssuerFailure, readJson } from './read-json';

const CLOCK_SKEW_SECONDS = 30;
/** An opaque token is asked about again after so many seconds. */
const ASKED_AGAIN_SECONDS = 60;
const RETRY_SECONDS = 5;
const COMPACT_JWT = /^[\w-]+\.[\w-]*\.[\w-]*$/;

const ANSWER = z.looseObject({
  active: z.boolean(),
  exp: z.number().optional(),
  iss: z.string().optional(),
  aud: z.union([z.string(), z.array(z.string())]).optional(),
});

/** A token that the issuer stands for. */
export interface CheckedToken {
  readonly claims: Readonly<Record<string, unknown>>;
  /** Time until which it need not be checked again, in milliseconds since 1970. */
  readonly until: number;
}

/** Checks access tokens of one issuer for this instance. */
export class TokenClaims {
  constructor(
    private readonly issuer: Issuer,
    private readonly audience: readonly string[],
    private readonly config: OidcConfig,
  ) {}

  /**
   * The claims of a right token, with those that the issuer says about its person where the token names nobody.
   * @throws AuthenticationFailed `wrong`; `busy` while the issuer cannot be asked
   */
  async read(token: string): Promise<CheckedToken> {
    try {
      const checked = COMPACT_JWT.test(token) ? await this.verify(token) : await this.introspect(token);
      return { ...checked, claims: await this.completed(token, checked.claims) };
    } catch (error) {
      if (isOutage(error)) throw new AuthenticationFailed('busy', RETRY_SECONDS);
      throw error instanceof errors.JOSEError ? new AuthenticationFailed('wrong') : error;
    }
  }

  private async verify(token: string): Promise<CheckedToken> {
    const { payload, protectedHeader } = await jwtVerify(token, await this.issuer.keys(), {
      issuer: this.issuer.name,
      audience: [...this.audience],
      algorithms: [...this.config.OIDC_ALGORITHMS],
      clockTolerance: CLOCK_SKEW_SECONDS,
      requiredClaims: ['exp', 'sub'],
    });
    if (!isForAccess(protectedHeader.typ, payload)) throw new AuthenticationFailed('wrong');
    return { claims: payload, until: (payload.exp! + CLOCK_SKEW_SECONDS) * 1000 };
  }

  private async introspect(token: string): Promise<CheckedToken> {
    const { introspection_endpoint: endpoint } = await this.issuer.describe();
    const { OIDC_INTROSPECTION_CLIENT_ID: id, OIDC_INTROSPECTION_CLIENT_SECRET: secret } = this.config;
    if (endpoint === undefined || id === undefined) throw new AuthenticationFailed('wrong');
    const credentials = [id, secret ?? ''].map(encodeURIComponent).join(':');
    const reply = await readJson(endpoint, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
      body: new URLSearchParams({ token, token_type_hint: 'access_token' }),
    });
    const answer = ANSWER.safeParse(reply).data;
    if (!answer || !this.isForUs(answer)) throw new AuthenticationFailed('wrong');
    const askAgain = Date.now() + ASKED_AGAIN_SECONDS * 1000;
    return { claims: answer, until: Math.min(askAgain, (answer.exp ?? Infinity) * 1000) };
  }

  private isForUs({ active, exp, iss, aud }: z.infer<typeof ANSWER>): boolean {
    const audiences = typeof aud === 'string' ? [aud] : (aud ?? []);
    const isLive = active && (exp === undefined || exp * 1000 > Date.now());
    const isOfIssuer = iss === undefined || iss === this.issuer.name;
    return isLive && isOfIssuer && audiences.some((one) => this.audience.includes(one));
  }

  private async completed(token: string, claims: CheckedToken['claims']): Promise<CheckedToken['claims']> {
    const { userinfo_endpoint: endpoint } = await this.issuer.describe();
    if (claims[this.config.OIDC_NAME_CLAIM] !== undefined || endpoint === undefined) return claims;
    const more = await readJson(endpoint, { headers: { authorization: `Bearer ${token}` } });
    const told = z.looseObject({ sub: z.literal(String(claims.sub)) }).safeParse(more);
    if (!told.success) throw new AuthenticationFailed('wrong');
    return { ...told.data, ...claims };
  }
}

/**
 * Whether a token is an access token, not one that tells of a sign-in or of its end: those name the same issuer, and clients as audience.
 * Source: RFC 9068, section 2.1; OpenID Connect Core, section 2, and Back-Channel Logout, section 2.4. Keycloak names kinds in a claim.
 */
function isForAccess(type: string | undefined, { typ: kind, nonce, at_hash, events }: JWTPayload): boolean {
  const isNamedSo = type === undefined || /^(application\/)?(at\+jwt|jwt)$/i.test(type);
  const isKindOfAccess = kind === undefined || kind === 'Bearer';
  return isNamedSo && isKindOfAccess && [nonce, at_hash, events].every((claim) => claim === undefined);
}

/** Whether the issuer could not be asked, as opposed to a token that is wrong. */
const isOutage = (error: unknown): boolean =>
  error instanceof IssuerFailure ||
  error instanceof errors.JWKSTimeout ||
  (error instanceof TypeError && error.message === 'fetch failed');
