import { administrationOn } from '#identity';
import { createTestDatabase, startGateway, type TestDatabase, type TestGateway } from '#testing';
import type { Browser, CDPSession } from 'playwright-core';
import { freePort } from '../../libs/testing/src/rigs/free-port';
import { browserProgram, Person, startBrowser } from './browser-stage';

jest.setTimeout(5 * 60_000);

const PASSWORD = 'a password of the specs';
const program = browserProgram();

(program ? describe : describe.skip)('passkeys, in a browser', () => {
  let test: TestDatabase;
  let gateway: TestGateway;
  let browser: Browser;
  let url: string;

  // Browsers make passkeys for names, and none for addresses of machines.
  beforeAll(async () => {
    const port = await freePort();
    url = `http://localhost:${port}`;
    test = await createTestDatabase();
    gateway = await startGateway({ databaseUrl: test.url, env: { PORT: String(port), PUBLIC_URL: url } });
    const { users } = administrationOn(test.database, { COMPATIBILITY: 'documented' });
    await users.create({ uid: 'alice', password: PASSWORD, displayName: 'Alice Example' });
    browser = await startBrowser(program!);
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.stop();
    await test?.drop();
  });

  /** Puts a security key into the browser; nobody has to touch it. */
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

  it('are made in the settings, and used at the next sign-in by the same key only', async () => {
    const alice = await Person.open(browser, url);
    const { devtools, authenticatorId } = await plugIn(alice);
    await alice.signIn('alice', PASSWORD);
    await alice.goTo('Settings');
    await alice.page.getByRole('link', { name: 'Set up or turn off the second factor' }).click();
    await alice.page.getByLabel('Name of the passkey').fill('my key');
    await alice.page.getByRole('button', { name: 'Add a passkey' }).click();
    await alice.page.getByText('my key, since').waitFor();
    expect(await alice.page.locator('[role=status] code').count()).toBe(10);
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
});
