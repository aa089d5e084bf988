import { administrationOn } from '#identity';
import { createTestDatabase, startGateway, type TestDatabase, type TestGateway } from '#testing';
import { Browser, PASSWORD } from './browser';
import { SoftwareAuthenticator, type Manner } from './software-authenticator';
import { totpCode } from './totp';

const ORIGIN = 'https://cloud.example.org';

let test: TestDatabase;
let gateway: TestGateway;
let count = 0;

beforeAll(async () => {
  test = await createTestDatabase();
  gateway = await startGateway({ databaseUrl: test.url, env: { PUBLIC_URL: ORIGIN } });
});
afterAll(async () => {
  await gateway.stop();
  await test.drop();
});

interface Question {
  readonly options: { readonly challenge: string };
  readonly setup: string;
}

/** A user in a browser after a sign-in with their password. */
async function signedIn(): Promise<{ uid: string; browser: Browser }> {
  const uid = `person${++count}`;
  await administrationOn(test.database, { COMPATIBILITY: 'documented' }).users.create({
    uid,
    password: PASSWORD,
  });
  const browser = new Browser(gateway.url);
  await browser.signIn(uid);
  return { uid, browser };
}

const send = (browser: Browser, method: string, path: string, body: object): Promise<Response> =>
  browser.fetch(path, {
    method,
    headers: { requesttoken: browser.requestToken, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const propose = async (browser: Browser): Promise<Question> =>
  (await (await browser.fetch('/web/second-factor/passkeys/proposal')).json()) as Question;

async function add(browser: Browser, key: SoftwareAuthenticator, manner?: Manner): Promise<Response> {
  const { options, setup } = await propose(browser);
  const answer = key.register(options.challenge, manner);
  return send(browser, 'POST', '/web/second-factor/passkeys', { setup, answer, name: 'the key on my desk' });
}

interface Equipped {
  readonly uid: string;
  readonly browser: Browser;
  readonly key: SoftwareAuthenticator;
  readonly recoveryCodes: readonly string[];
}

async function equipped(): Promise<Equipped> {
  const key = new SoftwareAuthenticator(ORIGIN);
  const { uid, browser } = await signedIn();
  const reply = await add(browser, key);
  expect(reply.status).toBe(200);
  return { uid, browser, key, ...((await reply.json()) as { recoveryCodes: string[] }) };
}

interface Asked extends Question {
  readonly pending: string;
}

/** The page that follows the right password. */
async function asked(uid: string): Promise<Asked> {
  const body = new URLSearchParams({ user: uid, password: PASSWORD });
  const page = await (await fetch(`${gateway.url}/login`, { method: 'POST', body })).text();
  const valueOf = (name: string): string => new RegExp(`name="${name}" value="([^"]*)"`).exec(page)![1]!;
  const options = /data-options="([^"]*)"/.exec(page)![1]!.replaceAll('&quot;', '"').replaceAll('&#34;', '"');
  return {
    pending: valueOf('pending'),
    setup: valueOf('setup'),
    options: JSON.parse(options) as Question['options'],
  };
}

const show = async ({ pending, setup }: Asked, passkey: string): Promise<number> =>
  (
    await fetch(`${gateway.url}/login`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ pending, setup, passkey }),
    })
  ).status;

describe('a sign-in with a passkey', () => {
  it('is demanded after the password, and opens a session of two factors', async () => {
    const { uid, key } = await equipped();
    const question = await asked(uid);
    expect(question.options).toMatchObject({
      rpId: 'cloud.example.org',
      allowCredentials: [{ id: key.credentialId.toString('base64url') }],
    });
    expect(await show(question, key.authenticate(question.options.challenge))).toBe(303);
    const rows: unknown = await test.database.dataSource.query(
      'SELECT strength FROM browser_session WHERE uid = $1',
      [uid],
    );
    expect(rows).toEqual([{ strength: 'two_factors' }, { strength: 'two_factors' }]);
  });

  it('accepts each answer once, and none to an earlier question', async () => {
    const { uid, key } = await equipped();
    const [earlier, later] = [await asked(uid), await asked(uid)];
    const answer = key.authenticate(later.options.challenge);
    expect(await show(later, answer)).toBe(303);
    expect(await show(later, answer)).toBe(403);
    expect(await show(earlier, key.authenticate(earlier.options.challenge))).toBe(403);
  });

  it('accepts each answer once from a key without a counter, as on telephones', async () => {
    const { uid, key } = await equipped();
    const question = await asked(uid);
    const answer = key.authenticate(question.options.challenge, { count: 0 });
    expect([await show(question, answer), await show(question, answer)]).toEqual([303, 403]);
    const later = await asked(uid);
    expect(await show(later, key.authenticate(later.options.challenge, { count: 0 }))).toBe(303);
  });

  it.each<[string, Manner]>([
    ['was given to the page of a stranger', { origin: 'https://cloud.example.org.evil.example' }],
    ['was given to another port', { origin: `${ORIGIN}:444` }],
    ['is of a key of another site', { rpId: 'evil.example' }],
    ['needed nobody', { isPresent: false }],
    ['was meant for something else', { type: 'webauthn.create' }],
    ['is of a copy of the key, which counts less', { count: 0 }],
  ])('refuses an answer that %s', async (_what, manner) => {
    const { uid, key } = await equipped();
    const first = await asked(uid);
    expect(await show(first, key.authenticate(first.options.challenge))).toBe(303);
    const question = await asked(uid);
    expect(await show(question, key.authenticate(question.options.challenge, manner))).toBe(403);
  });

  it('refuses another person’s key, another question, and invalid answers', async () => {
    const [one, other] = [await equipped(), await equipped()];
    const [mine, theirs] = [await asked(one.uid), await asked(other.uid)];
    expect(await show(mine, other.key.authenticate(mine.options.challenge))).toBe(403);
    expect(await show({ ...mine, setup: theirs.setup }, one.key.authenticate(theirs.options.challenge))).toBe(
      403,
    );
    for (const answer of ['', '{}', 'null', '[]', '{"id":1}', 'x'.repeat(9000)])
      expect(await show(mine, answer)).toBe(403);
  });

  it('limits attempts together with those by codes', async () => {
    const { uid } = await equipped();
    const question = await asked(uid);
    const statuses: number[] = [];
    for (let at = 0; at < 11; at++) statuses.push(await show(question, '{}'));
    expect(statuses.at(-1)).toBe(429);
  });
});

describe('passkeys of an account', () => {
  it('come with recovery codes, are listed, and are not added twice', async () => {
    const { browser, key, recoveryCodes } = await equipped();
    expect(recoveryCodes).toHaveLength(10);
    expect(await (await browser.fetch('/web/second-factor')).json()).toEqual({
      since: null,
      recoveryCodes: 10,
      passkeys: [
        { id: expect.any(Number), name: 'the key on my desk', since: expect.any(String), usedAt: null },
      ],
      passkeysCanBeMade: true,
    });
    expect((await add(browser, key)).status).toBe(409);
    const second = await add(browser, new SoftwareAuthenticator(ORIGIN));
    expect([second.status, await second.json()]).toEqual([200, { recoveryCodes: [] }]);
  });

  it('are not made with an answer from elsewhere', async () => {
    const { browser } = await signedIn();
    for (const manner of [
      { origin: 'https://evil.example' },
      { rpId: 'evil.example' },
      { type: 'webauthn.get' },
    ])
      expect((await add(browser, new SoftwareAuthenticator(ORIGIN), manner)).status).toBe(400);
    const { options } = await propose(browser);
    const { setup } = await propose((await signedIn()).browser);
    const answer = new SoftwareAuthenticator(ORIGIN).register(options.challenge);
    expect(
      (await send(browser, 'POST', '/web/second-factor/passkeys', { setup, answer, name: 'x' })).status,
    ).toBe(400);
  });

  it('end the sessions of other browsers with the first key, and the main password for clients', async () => {
    const { uid, browser } = await signedIn();
    const other = new Browser(gateway.url);
    await other.signIn(uid);
    await add(browser, new SoftwareAuthenticator(ORIGIN));
    expect([await browser.status(), await other.status()]).toEqual([200, 401]);
    const authorization = `Basic ${Buffer.from(`${uid}:${PASSWORD}`).toString('base64')}`;
    const client = await fetch(`${gateway.url}/ocs/v2.php/cloud/user`, { headers: { authorization } });
    expect(client.status).toBe(401);
  });

  it('are removed by their owner, and the recovery codes with the last factor', async () => {
    const { browser } = await equipped();
    const { secret, setup } = (await (await browser.fetch('/web/second-factor/proposal')).json()) as Record<
      string,
      string
    >;
    const app = await send(browser, 'PUT', '/web/second-factor', { setup, code: totpCode(secret!) });
    expect(await app.json()).toEqual({ recoveryCodes: [] });
    const state = async () =>
      (await (await browser.fetch('/web/second-factor')).json()) as {
        passkeys: { id: number }[];
        recoveryCodes: number;
      };
    const [{ id }] = (await state()).passkeys as [{ id: number }];
    const stranger = (await equipped()).browser;
    const remove = (by: Browser) =>
      send(by, 'POST', '/web/second-factor/passkeys/removal', { id: String(id) });
    expect((await remove(stranger)).status).toBe(404);
    expect((await remove(browser)).status).toBe(200);
    expect(await state()).toMatchObject({ passkeys: [], recoveryCodes: 10 });
    expect(
      (await send(browser, 'POST', '/web/second-factor/removal', { code: totpCode(secret!, 1) })).status,
    ).toBe(200);
    expect(await state()).toMatchObject({ since: null, recoveryCodes: 0 });
  });

  it('are recorded in the audit log, without keys', async () => {
    const { uid, key } = await equipped();
    const rows: unknown[] = await test.database.dataSource.query(
      "SELECT action, detail FROM audit_event WHERE object_id = $1 AND action LIKE 'second-factor%' ORDER BY id",
      [uid],
    );
    expect(rows).toContainEqual({ action: 'second-factor.set-up', detail: { kind: 'passkey' } });
    expect(JSON.stringify(rows)).not.toContain(key.credentialId.toString('hex'));
  });
});
