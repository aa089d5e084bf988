import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import Provider from 'oidc-provider';
import MemoryAdapter from 'oidc-provider/lib/adapters/memory_adapter.js';

/** The gateway's registration there. */
export const CLIENT = { client_id: 'client', client_secret: 'secret-of-the-client' };
const HOUR_SECONDS = 3600;
/** Audience of tokens for the gateway. */
export const AUDIENCE = 'https://cloud.example';

/** A person who signs in there with a browser. */
interface Login {
  readonly accountId: string;
  readonly acr?: string;
  readonly amr?: readonly string[];
}

type Claims = Readonly<Record<string, unknown>>;

/** An issuer of OpenID Connect by `oidc-provider`, on a free port of this machine. */
export class OidcIssuer {
  private provider!: Provider;
  private gatewayUrl = 'https://cloud.example';
  /** The person of the next sign-in; undefined: they decline. */
  login: Login | undefined;
  /** Whether it answers every request with an error. */
  isDown = false;
  /** Address of another server to which it redirects requests for its keys; undefined: it answers them. */
  keysElsewhere: string | undefined;
  /** Number of requests that it redirected. */
  redirected = 0;
  /** Claims of its people, by subject. */
  readonly people = new Map<string, Claims>();

  private constructor(
    private readonly server: Server,
    readonly url: string,
    public keys: readonly JWK[],
  ) {}

  static async start(): Promise<OidcIssuer> {
    const server = createServer((request, response) => void issuer.answer(request, response));
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
      OIDC_CLIENT_ID: CLIENT.client_id,
      OIDC_CLIENT_SECRET: CLIENT.client_secret,
    };
  }

  /** Signs with a new key from now on, and forgets the old ones. */
  async rotate(): Promise<void> {
    this.keys = [await newKey(`key-${Date.now()}`)];
    this.renew();
  }

  /** Registers the gateway at this address. */
  serve(gatewayUrl: string): void {
    this.gatewayUrl = gatewayUrl;
    this.renew();
  }

  /** Tells the gateway that a person has signed out. */
  async signOut(accountId: string, session: string): Promise<void> {
    const known = await this.provider.Client.find(CLIENT.client_id);
    await known.backchannelLogout(accountId, session);
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

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.isDown) return void response.writeHead(500).end();
    if (this.keysElsewhere && request.url === '/jwks') {
      this.redirected++;
      return void response.writeHead(302, { location: `${this.keysElsewhere}/jwks` }).end();
    }
    if (!request.url!.startsWith('/interaction/')) return this.provider.callback()(request, response);
    const result = this.login ? { login: this.login } : { error: 'access_denied' };
    await this.provider.interactionFinished(request, response, result);
  }

  private renew(): void {
    const claimsOf = (sub: string): Claims => ({ sub, ...this.people.get(sub) });
    const ttl = () => HOUR_SECONDS;
    this.provider = new Provider(this.url, {
      adapter: MemoryAdapter,
      // Node.js has another version of the client than these connection settings are for.
      fetch: (url: string, { dispatcher: _, ...init }: RequestInit & { dispatcher?: unknown }) =>
        fetch(url, init),
      clients: [
        {
          ...CLIENT,
          redirect_uris: [`${this.gatewayUrl}/login/oidc/callback`],
          backchannel_logout_uri: `${this.gatewayUrl}/login/oidc/logout`,
          backchannel_logout_session_required: true,
        },
      ],
      claims: { openid: ['sub', 'acr', 'amr'], profile: ['preferred_username', 'name', 'groups'] },
      acrValues: ['gold'],
      jwks: { keys: this.keys },
      cookies: { keys: ['key-of-its-cookies'] },
      features: {
        devInteractions: { enabled: false },
        introspection: { enabled: true, allowedPolicy: () => true },
        backchannelLogout: { enabled: true },
        rpInitiatedLogout: { enabled: false },
      },
      ttl: { AccessToken: ttl, Grant: ttl, IdToken: ttl, Interaction: ttl, Session: ttl },
      interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
      loadExistingGrant: async ({ oidc }: { oidc: { client: object; session: { accountId: string } } }) => {
        const { accountId } = oidc.session;
        const grant = new this.provider.Grant({ accountId, clientId: CLIENT.client_id });
        grant.addOIDCScope('openid profile email');
        await grant.save();
        return grant;
      },
      findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => claimsOf(accountId) }),
      extraTokenClaims: (_: unknown, token: { accountId: string }) => this.people.get(token.accountId),
    });
  }
}

async function newKey(kid: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' };
}
