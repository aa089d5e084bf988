import { createLogger } from '#platform';
import { eventually, startGateway, type TestGateway } from '../../libs/testing/src';
import { ENCRYPTION_KEY, InboundPartner, offerBody } from './inbound-partner';

const RECIPIENT = 'cloud.partner.example';
const SECRET = 'SecretToExchange1';

interface Granted {
  readonly access_token: string;
  readonly token_type: string;
  readonly expires_in: number;
}

let here: InboundPartner;
let replica: TestGateway;
let id: string;
let run = 0;
let secret: string;
const lines: string[] = [];

beforeAll(async () => {
  here = await InboundPartner.start(undefined, { FAILED_CALLS_PER_MINUTE: '20' });
  const { databaseUrl, url } = here.gateway.gateway;
  const logger = createLogger('trace', { write: (line: string) => void lines.push(line) });
  replica = await startGateway({ databaseUrl, logger, env: { ENCRYPTION_KEY, PUBLIC_URL: url } });
}, 300_000);
afterAll(async () => {
  await replica?.stop();
  await here?.stop();
});
beforeEach(async () => {
  run++;
  secret = `${SECRET}${run}`;
  id = await here.sentShare(`/plan${run}.txt`, secret);
});

const asked = (changes: Record<string, string> = {}) => ({
  grant_type: 'authorization_code',
  client_id: RECIPIENT,
  code: secret,
  ...changes,
});
const post = (body: URLSearchParams | string, at = here.url): Promise<Response> =>
  fetch(`${at}/ocm/token`, { method: 'POST', body });
const exchange = (changes: Record<string, string> = {}, at?: string): Promise<Response> =>
  post(new URLSearchParams(asked(changes)), at);
const granted = async (at?: string): Promise<Granted> => (await (await exchange({}, at)).json()) as Granted;

const open = async (token: string, shareId = id, at = here.url): Promise<number> => {
  const headers = { authorization: `Bearer ${token}`, depth: '0' };
  const reply = await fetch(`${at}/dav/ocm/${shareId}`, { method: 'PROPFIND', headers });
  await reply.text();
  return reply.status;
};

describe('the secret of a share', () => {
  it.each<[string, () => Promise<Response>]>([
    ['as OAuth has it', () => exchange()],
    ['with the grant of reva', () => exchange({ grant_type: 'ocm_share' })],
    ['with an address for its client', () => exchange({ client_id: `https://${RECIPIENT}/` })],
    ['in JSON', () => post(JSON.stringify(asked()))],
  ])('is exchanged for a token that opens the share, asked for %s', async (_how, ask) => {
    const reply = await ask();
    expect([reply.status, reply.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const answer = (await reply.json()) as Granted;
    expect(answer).toEqual({
      access_token: expect.any(String) as string,
      token_type: 'Bearer',
      expires_in: 900,
    });
    expect(await open(answer.access_token)).toBe(207);
  });

  it.each([
    ['an unknown code', { code: 'ThereIsNoSuchSecret' }, 'invalid_grant'],
    ['another partner', { client_id: 'other.example' }, 'invalid_grant'],
    ['the same host at another port', { client_id: `${RECIPIENT}:8443` }, 'invalid_grant'],
    ['no code', { code: '' }, 'invalid_request'],
    ['no host', { client_id: 'a b' }, 'invalid_request'],
    ['another grant', { grant_type: 'password' }, 'unsupported_grant_type'],
  ])('is not exchanged for %s', async (_what, changes, error) => {
    const reply = await exchange(changes);
    expect([reply.status, reply.headers.get('cache-control')]).toEqual([400, 'no-store']);
    expect(await reply.json()).toEqual({ error });
  });

  it('is exchanged at two replicas at once, and no token ends another one', async () => {
    const tokens = await Promise.all(
      [here.url, replica.url, here.url, replica.url].map(async (at) => (await granted(at)).access_token),
    );
    tokens.push((await granted()).access_token);
    for (const token of tokens)
      expect([await open(token), await open(token, id, replica.url)]).toEqual([207, 207]);
  });

  it('of one share gives no token for another', async () => {
    const { access_token: token } = await granted();
    const other = await here.sentShare(`/other${run}.txt`, `Other${secret}`);
    expect([await open(token), await open(token, other)]).toEqual([207, 401]);
  });

  it('gives no access after the end of the share, and neither do its tokens', async () => {
    const { access_token: token } = await granted();
    expect(await open(token)).toBe(207);
    const { code } = await here.gateway.shares('DELETE', `/${id}`, 'alice');
    expect([code, await open(token)]).toEqual([200, 401]);
    expect(await (await exchange()).json()).toEqual({ error: 'invalid_grant' });
  });

  it('is not exchanged in maintenance', async () => {
    await here.gateway.set('system/maintenance', 'yes');
    const reply = await exchange();
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '120']);
    await here.gateway.query(`DELETE FROM setting WHERE app = 'system' AND key = 'maintenance'`);
    await eventually('the end of maintenance', async () => (await exchange()).status === 200);
  });

  it('is not logged, and neither are its tokens', async () => {
    const { access_token: token } = await granted(replica.url);
    const refused = [
      await exchange({ client_id: 'other.example' }, replica.url),
      await exchange({ grant_type: secret }, replica.url),
    ];
    expect(refused.map(({ status }) => status)).toEqual([400, 400]);
    expect(await open(token, '1', replica.url)).toBe(401);
    expect(lines.length).toBeGreaterThan(0);
    for (const shown of [secret, token, token.slice(0, 40)]) expect(lines.join('')).not.toContain(shown);
  });

  it('is exchanged only by POST', async () => {
    const reply = await fetch(`${here.url}/ocm/token`);
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'POST']);
  });
});

describe('an offer that demands a token exchange', () => {
  const offered = async (name: string, requirements?: string[]) => {
    const webdav = { sharedSecret: `Offered${name}`, uri: '/dav/x', permissions: ['read'], requirements };
    const body = { ...offerBody(name, ''), protocol: { name: 'multi', options: {}, webdav } };
    return (await here.ocm('shares', body)).http;
  };

  it('has to be exchanged if the settings say so', async () => {
    expect(await offered('before')).toBe(201);
    await here.gateway.set('federatedfilesharing/incoming_token_exchange', 'yes');
    try {
      expect(await offered('without')).toBe(403);
      expect((await here.offer('older', 'OfferedInOlderForm')).http).toBe(403);
      expect(await offered('with', ['must-exchange-token'])).toBe(201);
    } finally {
      await here.gateway.set('federatedfilesharing/incoming_token_exchange', 'no');
    }
  });
});

// The last test, because the process remembers refused callers.
describe('guessed secrets at the token endpoint', () => {
  it('do not block any partner’s exchange', async () => {
    await here.gateway.query('TRUNCATE call_budget');
    let reply = await exchange({ code: 'Guessed0' });
    for (let guess = 1; guess < 60 && reply.status === 400; guess++)
      reply = await exchange({ code: `Guessed${guess}` });
    expect(reply.status).toBe(429);
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await exchange()).status).toBe(200);
  });
});
