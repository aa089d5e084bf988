import pg from 'pg';
import { AppPasswords, ShareAccessTokens } from '#identity';
import { Database, ShareEventRepository } from '#persistence';
import { SecretBox } from '#platform';
import { basicAuth, eventually, replyJson, startFakeServer, type FakeServer } from '#testing';
import { OidcIssuer } from '../../../libs/testing/src/rigs/oidc-issuer';
import { AMONG_FAKES } from '../../federation/outgoing-world';
import { SharingGateway } from '../../sharing/sharing-gateway';
import { AccessStage } from './access-stage';
import { openSessions, type OpenedSessions } from './session-callers';
import { makeTokens, type TokenCaller } from './token-callers';
import { makeAppPasswords, type AppPasswordCallerName } from './app-password-callers';
import { SECRETS, UIDS, type Held } from './held';
import type { Caller } from './matrix-rows';

const ENV = {
  ...AMONG_FAKES,
  // Each call comes from its own address, so that none is refused because of the others.
  TRUSTED_PROXIES: '127.0.0.0/8',
  SMTP_URL: 'smtp://127.0.0.1:9',
  FEDERATION_SYNC_WAIT: '2s',
};

/** A gateway where each caller of the matrix has a separate relation to one folder. */
export class AccessWorld {
  private constructor(
    readonly sharing: SharingGateway,
    readonly pool: pg.Pool,
    /** Accepts every acceptance of an invitation, and every offer. */
    private readonly inviter: FakeServer,
    private readonly issuer: OidcIssuer,
    readonly held: Held,
    /** Values of Authorization headers. */
    readonly appPasswords: Readonly<Record<AppPasswordCallerName, string>>,
    readonly tokens: Readonly<Record<TokenCaller, string>>,
    readonly sessions: OpenedSessions,
  ) {}

  static async start(): Promise<AccessWorld> {
    const inviter = await startInviter();
    const issuer = await OidcIssuer.start();
    const sharing = await SharingGateway.start({ env: { ...ENV, ...issuer.env } });
    const pool = new pg.Pool({ connectionString: sharing.gateway.databaseUrl, max: 2 });
    const { nest } = sharing.gateway.instance.app;
    const secrets = nest.get(SecretBox, { strict: false });
    const accessTokens = nest.get(ShareAccessTokens, { strict: false });
    const held = await new AccessStage(sharing, pool, secrets, accessTokens).set(new URL(inviter.url).host);
    const secretsOfClients = await makeAppPasswords(nest.get(AppPasswords, { strict: false }), pool);
    const tokens = await makeTokens(issuer, pool, sharing.gateway.url);
    const sessions = await openSessions(sharing, nest);
    return new AccessWorld(sharing, pool, inviter, issuer, held, secretsOfClients, tokens, sessions);
  }

  async stop(): Promise<void> {
    await this.pool.end();
    await this.sharing.stop();
    await this.inviter.close();
    await this.issuer.close();
  }

  /** Writes the messages of recorded events now, so that they count for the call that caused them. */
  async eventsHandled(): Promise<void> {
    const { nest } = this.sharing.gateway.instance.app;
    const events = new ShareEventRepository(nest.get(Database, { strict: false }));
    await eventually('the events of shares to be handled', async () => {
      await events.handleAll();
      return (await this.pool.query('SELECT FROM share_event')).rowCount === 0;
    });
  }

  get url(): string {
    return this.sharing.gateway.url;
  }

  /** Value of an Authorization header; undefined for an anonymous caller. */
  authorizationOf(caller: Caller): string | undefined {
    const uid = UIDS[caller];
    if (uid !== undefined) return this.sharing.authorizationOf(uid);
    return caller === 'partner' || caller === 'another' ? basicAuth(SECRETS[caller], '') : undefined;
  }
}

async function startInviter(): Promise<FakeServer> {
  const server: FakeServer = await startFakeServer((request, response) => {
    if (request.path === '/ocm/invite-accepted')
      return replyJson(response, 200, { userID: 'inge', email: 'inge@example.org', name: 'Inge' });
    if (request.path === '/ocm/shares') return replyJson(response, 201, { recipientDisplayName: 'Zed' });
    if (request.path !== '/.well-known/ocm') return replyJson(response, 404, {});
    return replyJson(response, 200, {
      enabled: true,
      apiVersion: '1.1.0',
      endPoint: `${server.url}/ocm`,
      provider: 'OpenCloud',
      resourceTypes: [{ name: 'file', shareTypes: ['user'], protocols: { webdav: '/dav/ocm' } }],
      capabilities: ['/invite-accepted'],
    });
  });
  return server;
}
