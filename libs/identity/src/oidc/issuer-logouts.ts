import { Inject, Injectable } from '@nestjs/common';
import { errors } from 'jose';
import { z } from 'zod';
import { IssuerSignOuts, type SignOut } from '#persistence';
import { CONFIG, type Config } from '#platform';
import { AccountDirectory } from '../account-directory';
import { AuthenticationFailed } from '../authentication-failed';
import { CLOCK_SKEW_SECONDS, isOutage, readSignedToken } from './signed-token';
import { TrustedIssuer } from './trusted-issuer';

/** Source: OpenID Connect Back-Channel Logout 1.0, section 2.4. */
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const MAX_CHARACTERS = 8192;
/** A logout token is sent right after the logout. Without an expiry, it is refused after this age. */
const MAX_AGE_SECONDS = 300;

const text = z.string().min(1).max(255);
const LOGOUT = z
  .looseObject({
    iat: z.number(),
    exp: z.number().optional(),
    sub: text.optional(),
    sid: text.optional(),
    nonce: z.undefined().optional(),
    events: z.record(z.string(), z.unknown()),
  })
  .refine(({ sub, sid }) => sub !== undefined || sid !== undefined)
  .refine(({ events }) => typeof events[LOGOUT_EVENT] === 'object' && events[LOGOUT_EVENT] !== null);

/** Logouts that the issuer reports directly to this server. */
@Injectable()
export class IssuerLogouts {
  constructor(
    private readonly trusted: TrustedIssuer,
    private readonly signOuts: IssuerSignOuts,
    private readonly directory: AccountDirectory,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Ends the sessions behind a logout token, and invalidates the person's earlier access tokens. A repetition ends nothing more.
   * @throws AuthenticationFailed `wrong` for a token that is no logout token; `busy` while the keys cannot be read
   */
  async take(token: string): Promise<void> {
    const uid = await this.signOuts.end(await this.read(token).catch(refused));
    if (uid !== undefined) this.directory.changed(uid);
  }

  private async read(token: string): Promise<SignOut> {
    const { issuer, settings } = this.trusted;
    if (!issuer || !settings?.client || token.length > MAX_CHARACTERS)
      throw new AuthenticationFailed('wrong');
    const { payload, protectedHeader } = await readSignedToken(token, issuer, {
      audience: [settings.client.id],
      algorithms: this.config.OIDC_ALGORITHMS,
      requiredClaims: ['iat', 'events'],
    });
    const found = LOGOUT.safeParse(payload).data;
    if (!found || !isOfLogout(protectedHeader.typ) || isOld(found)) throw new AuthenticationFailed('wrong');
    // If the operator configured another claim than `sub` for the id, the session identifies the account.
    const subject = this.config.OIDC_ID_CLAIM === 'sub' ? (found.sub ?? null) : null;
    return { issuer: issuer.name, subject, session: found.sid ?? null, at: new Date(found.iat * 1000) };
  }
}

const isOfLogout = (type: string | undefined): boolean =>
  type === undefined || /^(application\/)?(logout\+jwt|jwt)$/i.test(type);

const isOld = ({ iat, exp }: { iat: number; exp?: number }): boolean =>
  exp === undefined && Date.now() > (iat + MAX_AGE_SECONDS + CLOCK_SKEW_SECONDS) * 1000;

function refused(error: unknown): never {
  if (isOutage(error)) throw new AuthenticationFailed('busy');
  throw error instanceof errors.JOSEError ? new AuthenticationFailed('wrong') : error;
}
