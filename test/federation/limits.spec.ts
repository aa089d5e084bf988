import { SecretBox } from '#platform';
import { basicAuth, eventually, startGateway, type TestGateway } from '#testing';
import { SharingGateway } from '../sharing/sharing-gateway';
import { ENCRYPTION_KEY, offerBody } from './inbound-partner';

const [ATTACKER, PARTNERS_HOME, SHARED_HOME] = ['198.51.100.7', '203.0.113.7', '203.0.113.8'];
const LONGEST_MS = 90_000;
const SECRET = 'SecretOfThePartner';
const ENV = {
  ENCRYPTION_KEY,
  TRUSTED_PROXIES: '127.0.0.0/8',
  CALLS_PER_MINUTE: '300',
  FAILED_CALLS_PER_MINUTE: '50',
  PARTNER_CALLS_PER_MINUTE: '150',
};

let world: SharingGateway;
let replica: TestGateway;

beforeAll(async () => {
  world = await SharingGateway.start({ env: ENV });
  await world.addUsers('alice');
  replica = await startGateway({ env: ENV, databaseUrl: world.gateway.databaseUrl });
  for (const [id, secret, owner] of [
    ['held', SECRET, 'olga@cloud.partner.example'],
    ['theirs', 'SecretOfAnother', 'otto@another.example'],
  ] as const) {
    const offered = await post(
      '/ocm/shares',
      { ...offerBody(id, secret), owner, sender: owner },
      SHARED_HOME,
    );
    expect(offered.status).toBe(201);
  }
});
afterAll(async () => {
  await replica?.stop();
  await world?.stop();
});

function post(path: string, body: object, from: string, url = world.gateway.url): Promise<Response> {
  return fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
    body: JSON.stringify(body),
  });
}

const notice = (providerId: string, sharedSecret: string, from: string, url?: string): Promise<Response> => {
  const notification = { sharedSecret, protocol: { webdav: { permissions: ['read'] } } };
  const body = {
    notificationType: 'SHARE_CHANGE_PERMISSION',
    resourceType: 'file',
    providerId,
    notification,
  };
  return post('/ocm/notifications', body, from, url);
};
const legacyNotice = (from: string, agent = 'a test'): Promise<Response> =>
  fetch(`${world.gateway.url}/ocs/v1.php/cloud/shares/17/unshare?format=json`, {
    method: 'POST',
    headers: { 'x-forwarded-for': from, 'user-agent': agent },
    body: new URLSearchParams({ token: 'GuessedSecretOfMine' }),
  });
const waitOf = (reply: Response): number => Number(reply.headers.get('retry-after'));

const isRefused = ({ status }: Response): boolean => status === 429 || status === 503;

/**
 * Calls until one is refused; on a slow machine budgets grow meanwhile, so more calls are needed. @returns all answers, the refusal last
 */
async function untilRefused(call: () => Promise<Response>): Promise<Response[]> {
  const replies: Response[] = [];
  const deadline = Date.now() + LONGEST_MS;
  do replies.push(await call());
  while (!isRefused(replies.at(-1)!) && Date.now() < deadline);
  return replies;
}

const failUntilRefused = (from: string): Promise<Response[]> =>
  untilRefused(() => notice('none', 'GuessOfMany', from));

/** Makes a call while `from` is refused. A refusal ends after a second or more; one that ended too early is caused again. */
function whileRefused<T>(from: string, call: () => Promise<T>): Promise<NonNullable<T>> {
  return eventually<T | undefined>('a call during the refusal', async () => {
    await failUntilRefused(from);
    const result = await call();
    return isRefused(await notice('none', 'GuessAfterwards', from)) ? result : undefined;
  });
}

it('an address that fails too often gets 429 with the time to wait, on every replica', async () => {
  const refused = (await failUntilRefused(ATTACKER)).at(-1)!;
  expect([refused.status, waitOf(refused) > 0]).toEqual([429, true]);
  const offered = await whileRefused(ATTACKER, () => post('/ocm/shares', offerBody('new', SECRET), ATTACKER));
  expect(offered.status).toBe(429);
  // The other replica learns it with the next few failures.
  const elsewhere = async () => (await notice('none', 'AGuessElsewhere', ATTACKER, replica.url)).status;
  await eventually('a refusal', async () => (await elsewhere()) === 429);
  expect((await notice('none', 'AGuessElsewhere', PARTNERS_HOME)).status).toBe(400);
});

it('such an address gets 429 in the legacy dialect too, as HTTP status in every version', async () => {
  const from = '198.51.100.9';
  for (const agent of ['a test', 'ownCloud Server Crawler']) {
    const refused = await whileRefused(from, () => legacyNotice(from, agent));
    expect([refused.status, waitOf(refused) > 0]).toEqual([429, true]);
  }
});

it('messages with the secret of a share are accepted from the same address', async () => {
  const ofHeld = (secret: string) => async (): Promise<number> =>
    (await notice('held', secret, SHARED_HOME)).status;
  expect(await whileRefused(SHARED_HOME, ofHeld(SECRET))).toBe(201);
  expect(await whileRefused(SHARED_HOME, ofHeld('NotItsSecretAtAll'))).toBe(429);
});

it('a trusted server can read the address book with its secret, despite failures of its address', async () => {
  const from = '198.51.100.12';
  const secret = 'SecretInCommonWith32Letters00000';
  await world.query(
    `WITH partner AS (INSERT INTO peer (host_key, trust) VALUES ('trusted.example', 'trusted') RETURNING id)
     INSERT INTO trusted_handshake (peer_id, state, secret_hmac) SELECT id, 'done', $1 FROM partner`,
    [new SecretBox(() => Buffer.from(ENCRYPTION_KEY, 'hex')).lookup(secret)],
  );
  const open = (password: string) =>
    fetch(`${world.gateway.url}/remote.php/dav/addressbooks/system/system/system`, {
      method: 'REPORT',
      headers: { authorization: basicAuth('system', password), 'x-forwarded-for': from },
      body: '<sync-collection xmlns="DAV:"><sync-token/></sync-collection>',
    });
  const guessed = await untilRefused(() => open('a-guess'));
  expect(guessed[0]!.status).toBe(401);
  expect([guessed.at(-1)!.status, waitOf(guessed.at(-1)!) > 0]).toEqual([503, true]);
  expect((await whileRefused(from, () => open(secret))).status).toBe(207);
});

describe('pending offers', () => {
  const count = async (): Promise<number> =>
    (await world.query(`SELECT FROM received_share WHERE recipient_uid = 'bob'`)).length;
  const offer = (id: string, owner: string): Promise<Response> =>
    post(
      '/ocm/shares',
      { ...offerBody(id, SECRET), shareWith: 'bob@x', owner, sender: owner },
      '203.0.113.9',
    );
  /** The shares in the state after their offer. */
  const fill = (rows: number, hostKey: string): Promise<unknown> =>
    world.query(
      `WITH partner AS (INSERT INTO peer (host_key) VALUES ($2) ON CONFLICT (host_key) DO UPDATE SET host_key = $2 RETURNING id)
       INSERT INTO received_share (peer_id, provider_id, token_hmac, token_enc, recipient_uid, owner, sender, name, permissions, dialect)
       SELECT partner.id, 'filling-' || n, decode(md5(n::text), 'hex'), '-', 'bob', 'x@' || $2, 'x@' || $2, 'x', 1, 'ocm-webdav'
       FROM partner, generate_series(1, $1::int) n`,
      [rows, hostKey],
    );

  beforeAll(() => world.addUsers('bob'));

  it('are limited for one host, in all its folders and spellings; further ones get 503', async () => {
    await fill(100, 'filling.example');
    await fill(99, 'filling.example/cloud');
    expect((await offer('the-200th', 'olga@filling.example')).status).toBe(201);
    for (const address of ['olga@filling.example/cloud', 'olga@Filling.Example.:80/x'])
      expect((await offer('another', address)).status).toBe(503);
    const refused = await offer('one-more', 'olga@filling.example');
    expect([refused.status, waitOf(refused) > 0, await count()]).toEqual([503, true, 200]);
    expect((await offer('the-200th', 'olga@filling.example')).status).toBe(201);
    expect((await offer('first', 'otto@another.example')).status).toBe(201);
    await world.query(`UPDATE received_share SET state = 'declined' WHERE provider_id = 'filling-1'`);
    expect((await offer('one-more', 'olga@filling.example')).status).toBe(201);
  });

  it('are limited for all partners together', async () => {
    for (const host of ['a', 'b', 'c', 'd']) await fill(200, `${host}.filling.example`);
    const before = await count();
    expect((await offer('second', 'otto@another.example')).status).toBe(503);
    expect(await count()).toBe(before);
  });
});

it('a partner that sends too many messages is refused at every address, but no other partner is', async () => {
  let calls = 0;
  const replies = await untilRefused(() =>
    notice('held', SECRET, calls++ % 2 === 0 ? PARTNERS_HOME : SHARED_HOME),
  );
  expect(replies.at(-1)!.status).toBe(429);
  expect(calls).toBeGreaterThan(100);
  expect((await notice('theirs', 'SecretOfAnother', PARTNERS_HOME)).status).toBe(201);
});

it('guesses at links get 429 on pages, and 503 for content', async () => {
  const [from, url] = ['198.51.100.10', world.gateway.url];
  const ask = (path: string, headers: Record<string, string> = {}) =>
    fetch(url + path, { headers: { 'x-forwarded-for': from, ...headers } });
  const guessed = await untilRefused(() => ask('/s/guess'));
  expect([...new Set(guessed.map(({ status }) => status))]).toEqual([404, 429]);
  const authorization = `Basic ${Buffer.from('guess:').toString('base64')}`;
  for (const read of [
    () => ask('/remote.php/dav/public-files/guess/x.txt'),
    () => ask('/public.php/webdav', { authorization }),
  ]) {
    const refused = await whileRefused(from, read);
    expect([refused.status, waitOf(refused) > 0]).toEqual([503, true]);
  }
  // A server whose discovery fails counts as no sharing server.
  expect((await ask('/ocm-provider/')).status).toBe(200);
});

it('too many calls of discovery are refused', async () => {
  const from = '198.51.100.11';
  const ask = () => fetch(`${world.gateway.url}/ocm-provider/`, { headers: { 'x-forwarded-for': from } });
  const last = (await untilRefused(ask)).at(-1)!;
  expect([last.status, waitOf(last) > 0]).toEqual([429, true]);
});
