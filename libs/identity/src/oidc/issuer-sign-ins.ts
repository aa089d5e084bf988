import { Inject, Injectable } from '@nestjs/common';
import * as client from 'openid-client';
import type { Strength } from '#persistence';
import { CONFIG, SecretBox, type Config } from '#platform';
import type { Account } from '../account';
import { AuthenticationFailed } from '../authentication-failed';
import { openNote, sealNote } from '../second-factor/sealed-note';
import { claimedStrength } from './claimed-strength';
import { completeClaims } from './complete-claims';
import type { Issuer } from './issuer';
import { OidcAccounts } from './oidc-accounts';
import type { OidcClient } from './oidc-settings';
import { boundedFetch, IssuerFailure } from './read-json';
import { CLOCK_SKEW_SECONDS, isOutage } from './signed-token';
import { TrustedIssuer } from './trusted-issuer';

const PURPOSE = 'sign-in at the issuer';
const MAX_SESSION_CHARACTERS = 255;

/** Secrets of one sign-in, which the browser stores in the meantime. */
interface Begun {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly next?: string;
}

/** The session at the issuer for a session here. */
export interface IssuerSession {
  readonly issuer: string;
  /** Its name there (`sid`); null if the issuer sends none. */
  readonly id: string | null;
}

interface IssuerSignIn {
  readonly account: Account;
  readonly strength: Strength;
  readonly session: IssuerSession;
}

/** Signs browsers in at the issuer: with a code that only the browser that began can use, with PKCE. */
@Injectable()
export class IssuerSignIns {
  constructor(
    private readonly trusted: TrustedIssuer,
    private readonly accounts: OidcAccounts,
    private readonly secrets: SecretBox,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * @param callback our address to which the issuer sends the browser back
   * @param next our address for the browser afterwards
   * @returns the address at the issuer, and a note for the browser, valid for ten minutes
   * @throws AuthenticationFailed `busy` while the issuer cannot be asked
   */
  async begin(callback: string, next: string | undefined): Promise<{ address: string; note: string }> {
    const begun: Begun = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
      next,
    };
    const configuration = await this.configuration().catch(refused);
    const address = client.buildAuthorizationUrl(configuration, {
      redirect_uri: callback,
      scope: this.config.OIDC_SCOPES,
      state: begun.state,
      nonce: begun.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(begun.verifier),
      code_challenge_method: 'S256',
    });
    return { address: address.href, note: sealNote(this.secrets, PURPOSE, begun) };
  }

  /** Address for the browser afterwards; undefined if the note has expired or contains none. */
  nextOf(note: string): string | undefined {
    return openNote<Begun>(this.secrets, PURPOSE, note)?.next;
  }

  /**
   * The account of the person who comes back from the issuer.
   * @param answer address of the request, with the issuer's answer in its query
   * @throws AuthenticationFailed `missing` if this browser did not begin the sign-in, or too long ago; `wrong` if the
   * issuer or its answer refuses;
   * `disabled`; `busy`
   */
  async finish(answer: URL, note: string): Promise<IssuerSignIn> {
    const begun = openNote<Begun>(this.secrets, PURPOSE, note);
    if (!begun) throw new AuthenticationFailed('missing');
    const configuration = await this.configuration().catch(refused);
    const { claims, accessToken } = await redeem(configuration, answer, begun).catch(refused);
    const completed = await completeClaims(
      { issuer: this.trusted.issuer!, config: this.config },
      accessToken,
      claims,
    ).catch(refused);
    const { account } = await this.accounts.admit(completed, claims.iat);
    return {
      account,
      strength: claimedStrength(claims, this.config.OIDC_SECOND_FACTOR_ACR),
      session: { issuer: claims.iss, id: sessionOf(claims.sid) },
    };
  }

  private async configuration(): Promise<client.Configuration> {
    const { issuer, settings } = this.trusted;
    if (!issuer || !settings?.client) throw new Error('no client of an issuer is configured');
    return configurationFor(issuer, settings.client, this.config.OIDC_ALGORITHMS);
  }
}

async function configurationFor(
  issuer: Issuer,
  { id, secret }: OidcClient,
  allowed: readonly string[],
): Promise<client.Configuration> {
  const document = await issuer.describe();
  const algorithms = document.id_token_signing_alg_values_supported?.filter((one) => allowed.includes(one));
  const configuration = new client.Configuration(
    { ...document, id_token_signing_alg_values_supported: algorithms ?? [...allowed] },
    id,
    { client_secret: secret, [client.clockTolerance]: CLOCK_SKEW_SECONDS },
    client.ClientSecretBasic(secret),
  );
  configuration[client.customFetch] = (url, init) => boundedFetch(url, init);
  client.enableNonRepudiationChecks(configuration);
  // The configuration allows issuers without TLS only on this machine.
  if (issuer.name.startsWith('http:')) client.allowInsecureRequests(configuration);
  return configuration;
}

async function redeem(configuration: client.Configuration, answer: URL, begun: Begun) {
  const tokens = await client.authorizationCodeGrant(configuration, answer, {
    expectedState: begun.state,
    expectedNonce: begun.nonce,
    pkceCodeVerifier: begun.verifier,
    idTokenExpected: true,
  });
  return { claims: tokens.claims()!, accessToken: tokens.access_token };
}

/** @throws AuthenticationFailed in place of the errors of openid-client and the issuer, which may contain parts of tokens */
function refused(error: unknown): never {
  if (error instanceof AuthenticationFailed) throw error;
  const isRefusal = error instanceof IssuerFailure && error.status !== undefined && error.status < 500;
  throw new AuthenticationFailed(isOutage(error) && !isRefusal ? 'busy' : 'wrong');
}

const sessionOf = (sid: unknown): string | null =>
  typeof sid === 'string' && sid !== '' && sid.length <= MAX_SESSION_CHARACTERS ? sid : null;
