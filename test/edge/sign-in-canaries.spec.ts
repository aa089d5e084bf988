import { Writable } from 'node:stream';
import { administrationOn } from '#identity';
import { createLogger } from '#platform';
import {
  createTestDatabase,
  eventually,
  startGateway,
  startTraceCollector,
  type TestDatabase,
  type TestGateway,
  type TraceCollector,
} from '#testing';
import { Browser, PASSWORD } from './browser';
import { keptTexts } from './kept-texts';
import { SoftwareAuthenticator } from './software-authenticator';
import { totpCode } from './totp';

const ORIGIN = 'https://cloud.example.org';
const UID = 'person-of-the-canaries';
const WRONG_CODE = 'aaaaa-bbbbb-ccccc';
/** Tables that a sign-in needs. Each is missing during one attempt, so that an error about its statement is logged. */
const AWAY = ['browser_session', 'passkey', 'recovery_code', 'totp', 'app_password'] as const;

let test: TestDatabase;
let collector: TraceCollector;
let gateway: TestGateway;
let browser: Browser;
const key = new SoftwareAuthenticator(ORIGIN);
const logged: string[] = [];
/** Bodies of replies that refuse something. */
const refusals: string[] = [];
/** All credentials of the user, and the parts of their answers. */
const secrets = new Map<string, string>();

beforeAll(async () => {
  [test, collector] = [await createTestDatabase(), await startTraceCollector()];
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      logged.push(String(chunk));
      done();
    },
  });
  gateway = await startGateway({
    databaseUrl: test.url,
    env: { PUBLIC_URL: ORIGIN, LOG_LEVEL: 'trace', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
    logger: createLogger('trace', sink),
  });
  await administrationOn(test.database, { COMPATIBILITY: 'documented' }).users.create({
    uid: UID,
    password: PASSWORD,
  });
  browser = new Browser(gateway.url);
});
afterAll(async () => {
  await gateway?.stop();
  await collector?.close();
  await test?.drop();
});

async function send(method: string, path: string, body: object): Promise<Record<string, string>> {
  const reply = await browser.fetch(path, {
    method,
    headers: { requesttoken: browser.requestToken, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await reply.text();
  if (!reply.ok) refusals.push(text);
  return reply.ok ? (JSON.parse(text) as Record<string, string>) : {};
}

const get = async (path: string): Promise<Record<string, string>> =>
  (await (await browser.fetch(path)).json()) as Record<string, string>;

/** Notes the secrets of the session that the browser has. */
function noteSession(name: string): void {
  secrets.set(`the session of ${name}`, browser.cookie!.split('=')[1]!);
  secrets.set(`the token of pages in the session of ${name}`, browser.requestToken);
}

interface Asked {
  readonly pending: string;
  readonly setup: string;
  readonly challenge: string;
}

/** The page behind the right password, with its question to a passkey. */
async function asked(): Promise<Asked> {
  const page = await (
    await fetch(`${gateway.url}/login`, {
      method: 'POST',
      body: new URLSearchParams({ user: UID, password: PASSWORD }),
    })
  ).text();
  const valueOf = (name: string): string => new RegExp(`name="${name}" value="([^"]*)"`).exec(page)![1]!;
  const options = /data-options="([^"]*)"/.exec(page)![1]!.replaceAll(/&quot;|&#34;/g, '"');
  const { challenge } = JSON.parse(options) as { challenge: string };
  return { pending: valueOf('pending'), setup: valueOf('setup'), challenge };
}

/** An answer of the key, whose parts are noted. */
function answerTo({ challenge }: Asked): string {
  const answer = key.authenticate(challenge);
  const { response } = JSON.parse(answer) as { response: Record<string, string> };
  secrets.set('the signature of the passkey', response.signature!);
  secrets.set('what the passkey signed', response.authenticatorData!);
  return answer;
}

/** Shows a second factor. @returns the status */
async function show(form: Record<string, string>): Promise<number> {
  const reply = await browser.fetch('/login', { method: 'POST', body: new URLSearchParams(form) });
  if (reply.status !== 303) refusals.push(await reply.text());
  else browser.requestToken = (await browser.current()).requestToken;
  return reply.status;
}

async function without(table: string, work: () => Promise<unknown>): Promise<void> {
  await test.database.dataSource.query(`ALTER TABLE ${table} RENAME TO away`);
  try {
    await work();
  } finally {
    await test.database.dataSource.query(`ALTER TABLE away RENAME TO ${table}`);
  }
}

it('sets up both kinds of second factors, and signs in by each', async () => {
  secrets.set('the password', PASSWORD);
  await browser.signIn(UID);
  noteSession('the password');
  const question = (await get('/web/second-factor/passkeys/proposal')) as unknown as {
    setup: string;
    options: { challenge: string };
  };
  secrets.set('the passkey', key.credentialId.toString('base64url'));
  const answer = key.register(question.options.challenge);
  const made = await send('POST', '/web/second-factor/passkeys', {
    setup: question.setup,
    answer,
    name: 'mine',
  });
  const codes = made.recoveryCodes as unknown as string[];
  expect(codes).toHaveLength(10);
  for (const [at, code] of codes.entries()) secrets.set(`recovery code ${at}`, code);
  const { secret, setup } = await get('/web/second-factor/proposal');
  secrets.set('the secret of the app', secret!);
  await send('PUT', '/web/second-factor', { setup: setup!, code: totpCode(secret!) });
  const { secret: appPassword } = await send('POST', '/web/app-passwords', {
    name: 'phone',
    scopes: ['files'],
  });
  secrets.set('the app password', appPassword!);

  const byKey = await asked();
  expect(await show({ ...byKey, passkey: answerTo(byKey) })).toBe(303);
  noteSession('the passkey');
  expect(await show({ pending: (await asked()).pending, code: codes[0]! })).toBe(303);
  noteSession('the recovery code');
});

it('refuses wrong answers, and fails without its tables', async () => {
  const { pending, setup } = await asked();
  secrets.set('a wrong code', WRONG_CODE);
  expect(await show({ pending, code: WRONG_CODE })).toBe(403);
  expect(await show({ pending, setup, passkey: answerTo(await asked()) })).toBe(403);
  expect(await show({ pending, code: secrets.get('recovery code 0')! })).toBe(403);
  const statuses: number[] = [];
  for (const table of AWAY) {
    const question = await asked();
    const answer = answerTo(question);
    await without(table, async () => {
      statuses.push((await browser.fetch('/web/session')).status);
      statuses.push(await show({ ...question, passkey: answer }));
      statuses.push(await show({ pending: question.pending, code: secrets.get('recovery code 1')! }));
      statuses.push(
        (
          await browser.fetch('/web/session', {
            headers: {
              authorization: `Basic ${Buffer.from(`${UID}:${secrets.get('the app password')}`).toString('base64')}`,
            },
          })
        ).status,
      );
    });
  }
  expect(statuses.filter((status) => status === 500).length).toBeGreaterThan(AWAY.length);
});

it('writes none of their secrets into logs, traces, refusals, the audit log, queues or any other table', async () => {
  await eventually('the traces', () => collector.spans().some(({ name }) => name.includes('login')));
  const kept = await keptTexts(gateway.databaseUrl);
  const audit = kept.get('audit_event')!;
  const places: Readonly<Record<string, string>> = {
    ...{ logs: logged.join('\n'), traces: collector.text(), refusals: refusals.join('\n'), audit },
    tables: [...kept].flatMap(([table, text]) => (table === 'passkey' ? [] : [text])).join('\n'),
  };
  // Each place has something of this story, so a secret would have been found there.
  expect(places.logs).toContain('does not exist');
  expect(places.traces).toContain('/login');
  expect(places.refusals).toContain('name="pending"');
  expect(audit).toContain('second-factor.recover');
  expect(places.tables).toContain(UID);
  const found: string[] = [];
  for (const [place, text] of Object.entries(places))
    for (const [name, secret] of secrets)
      if (!isPartOf(place, name) && formsOf(secret).some((form) => text.includes(form)))
        found.push(`${name} in ${place}`);
  expect(secrets.size).toBeGreaterThan(20);
  expect(found).toEqual([]);
});

/** The page that asks for a second factor names the passkeys that can answer. */
const isPartOf = (place: string, name: string): boolean => place === 'refusals' && name === 'the passkey';

/** The possible forms of a secret: unchanged, without hyphens, in hexadecimal digits, decoded, and as base64. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret, 'base64url').toString('hex');
  const hex = Buffer.from(secret).toString('hex');
  return [secret, secret.replaceAll('-', ''), hex, bytes, Buffer.from(secret).toString('base64')];
}
