import { administrationOn } from '#identity';
import { basicAuth, createTestDatabase, startGateway, type TestDatabase, type TestGateway } from '#testing';
import type { Browser, CDPSession } from 'playwright-core';
import { freePort } from '../../libs/testing/src/rigs/free-port';
import { browserProgram, Person, startBrowser } from './browser-stage';

const PASSWORD = 'a password of the specs';
const program = browserProgram();

(program ? describe : describe.skip)('second factors and what demands them, in a browser', () => {
  let test: TestDatabase;
  let gateway: TestGateway;
  let browser: Browser;
  let url: string;

  // Browsers create passkeys only for host names, not for IP addresses.
  beforeAll(async () => {
    const port = await freePort();
    url = `http://localhost:${port}`;
    test = await createTestDatabase();
    gateway = await startGateway({ databaseUrl: test.url, env: { PORT: String(port), PUBLIC_URL: url } });
    const { users } = administrationOn(test.database, { COMPATIBILITY: 'documented' });
    for (const uid of ['alice', 'bob', 'carol']) await users.create({ uid, password: PASSWORD });
    await fetch(`${gateway.url}/remote.php/dav/files/bob/plan.txt`, {
      method: 'PUT',
      headers: { authorization: basicAuth('bob', PASSWORD) },
      body: 'of bob',
    });
    browser = await startBrowser(program!);
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.stop();
    await test?.drop();
  });

  /** Adds a security key to the browser, which needs no touch. */
  async function plugIn(person: Person): Promise<{ devtools: CDPSession; authenticatorId: string }> {
    const devtools = await person.page.context().newCDPSession(person.page);
    await devtools.send('WebAuthn.enable');
    const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'usb',
        hasUserVerification: false,
        automaticPresenceSimulation: true,
      },
    });
    return { devtools, authenticatorId };
  }

  it('passkeys are made in the settings, and only the same key works at the next sign-in', async () => {
    const alice = await Person.open(browser, url);
    const { devtools, authenticatorId } = await plugIn(alice);
    await alice.signIn('alice', PASSWORD);
    await alice.goTo('Settings');
    await alice.page.getByRole('link', { name: 'Set up or turn off the second factor' }).click();
    await alice.page.getByLabel('Name of the passkey').fill('my key');
    await alice.page.getByRole('button', { name: 'Add a passkey' }).click();
    await alice.page.getByText('my key, since').waitFor();
    const codes = alice.page.locator('[role=status] code');
    await codes.nth(9).waitFor();
    expect(await codes.count()).toBe(10);
    expect(await alice.violations()).toEqual([]);

    await alice.page.context().clearCookies();
    await alice.page.goto('/');
    await alice.page.getByLabel('User name').fill('alice');
    await alice.page.getByLabel('Password').fill(PASSWORD);
    await alice.page.getByRole('button', { name: 'Sign in' }).click();
    const use = alice.page.getByRole('button', { name: 'Use a passkey' });
    await use.waitFor();
    expect(await alice.violations()).toEqual([]);
    const { credentials } = await devtools.send('WebAuthn.getCredentials', { authenticatorId });
    await devtools.send('WebAuthn.clearCredentials', { authenticatorId });
    await use.click();
    await alice.page.getByText('The browser gave no passkey.').waitFor();
    const [credential] = credentials;
    await devtools.send('WebAuthn.addCredential', { authenticatorId, credential: credential! });
    await use.click();
    await alice.page.getByRole('heading', { name: 'Files', level: 1 }).waitFor();
    expect(alice.complaints).toEqual([]);
    await alice.leave();
  });

  it('a link that demands an account leads visitors to the sign-in and back', async () => {
    const bob = await Person.open(browser, url);
    await bob.signIn('bob', PASSWORD);
    await bob.choose('plan.txt', 'Share');
    await bob.page.getByLabel('Ask for a second factor').waitFor();
    await bob.page.getByRole('button', { name: 'New public link' }).click();
    await bob.page.locator('summary', { hasText: 'Options of the link' }).click();
    const [saved] = await Promise.all([
      bob.page.waitForResponse((reply) => reply.request().method() === 'PUT'),
      bob.page.getByLabel('Opens to').selectOption('account'),
    ]);
    expect(saved.status()).toBe(200);
    expect(await bob.violations()).toEqual([]);
    const address = await bob.page.getByLabel('Public link', { exact: true }).inputValue();

    const carol = await Person.open(browser, url);
    await carol.page.goto(address);
    await carol.page.getByLabel('User name').fill('carol');
    await carol.page.getByLabel('Password').fill(PASSWORD);
    await carol.page.getByRole('button', { name: 'Sign in' }).click();
    await carol.page.getByRole('heading', { name: 'plan.txt', level: 1 }).waitFor();
    expect([...bob.complaints, ...carol.complaints]).toEqual([]);
    await Promise.all([bob.leave(), carol.leave()]);
  });
});
