import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import Provider from 'oidc-provider';

const CLIENT = { client_id: 'client', client_secret: 'secret-of-the-client' };
/** Audience of the tokens that are for the gateway. */
export const AUDIENCE = 'https://cloud.example';

type Claims = Readonly<Record<string, unknown>>;

/** An issuer of OpenID Connect by `oidc-provider`, on a free port of this machine. */
export class OidcIssuer {
  private provider!: Provider;
  /** Claims of its people, by subject. */
  readonly people = new Map<string, Claims>();

  private constructor(
    private readonly server: Server,
    readonly url: string,
    public keys: readonly JWK[],
  ) {}

  static async start(): Promise<OidcIssuer> {
    const server = createServer((request, response) => issuer.provider.callback()(request, response));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const issuer: OidcIssuer = new OidcIssuer(server, url, [await newKey('first')]);
    issuer.renew();
    return issuer;
  }

  /** Variables of a gateway that trusts it. */
  get env(): Record<string, string> {
    return {
      OIDC_ISSUER: this.url,
      OIDC_AUDIENCE: AUDIENCE,
      OIDC_INTROSPECTION_CLIENT_ID: CLIENT.client_id,
      OIDC_INTROSPECTION_CLIENT_SECRET: CLIENT.client_secret,
    };
  }

  /** Signs with a new key from now on, and knows no other. */
  async rotate(): Promise<void> {
    this.keys = [await newKey(`key-${Date.now()}`)];
    this.renew();
  }

  /** An access token for one of its people. */
  async token(accountId: string, format: 'jwt' | 'opaque' = 'jwt', audience = AUDIENCE): Promise<string> {
    const grant = new this.provider.Grant({ accountId, clientId: CLIENT.client_id });
    grant.addOIDCScope('openid profile');
    const token = new this.provider.AccessToken({
      accountId,
      client: await this.provider.Client.find(CLIENT.client_id),
      grantId: await grant.save(),
      gty: 'authorization_code',
      scope: 'openid profile',
    });
    token.resourceServer = {
      audience,
      accessTokenFormat: format,
      accessTokenTTL: 600,
      scope: 'openid profile',
      identifier: () => audience,
      scopes: new Set(['openid', 'profile']),
    };
    return token.save();
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }

  private renew(): void {
    const claimsOf = (sub: string): Claims => ({ sub, ...this.people.get(sub) });
    this.provider = new Provider(this.url, {
      clients: [{ ...CLIENT, redirect_uris: ['https://client.example/callback'] }],
      jwks: { keys: this.keys },
      features: { devInteractions: { enabled: false }, introspection: { enabled: true } },
      findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => claimsOf(accountId) }),
      extraTokenClaims: (_: unknown, token: { accountId: string }) => this.people.get(token.accountId),
    });
  }
}

async function newKey(kid: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' };
}
