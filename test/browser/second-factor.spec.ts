import { totpCode } from '../edge/totp';
import { inBrowser, PASSWORD } from './browser-story';

const USERS = { alice: 'Alice Example', bob: 'Bob Example' };

inBrowser('the second factor of an account', USERS, (story) => {
  it('is set up in the settings, and required at the next sign-in', async () => {
    const alice = await story().signedIn('alice');
    await alice.goTo('Settings');
    await alice.page.getByRole('link', { name: 'Set up or turn off the second factor' }).click();
    await alice.page.getByRole('button', { name: 'Set up an app' }).click();
    await alice.page.getByRole('img', { name: 'Picture with the key for the app' }).waitFor();
    expect(await alice.violations()).toEqual([]);
    const secret = await alice.page.getByLabel('Key').inputValue();
    await alice.page.getByLabel('Code').fill('no code');
    await alice.page.keyboard.press('Enter');
    await alice.page.getByText('This did not work. (The code is wrong.', { exact: false }).waitFor();
    await alice.page.getByLabel('Code').fill(totpCode(secret));
    await alice.page.getByRole('button', { name: 'Turn the second factor on' }).click();
    await alice.page.getByText('Recovery codes left: 10', { exact: false }).waitFor();
    const code = await alice.page.locator('[role=status] code').first().textContent();
    expect(await alice.violations()).toEqual([]);

    const again = await story().open();
    await again.page.goto('/');
    await again.page.getByLabel('User name').fill('alice');
    await again.page.getByLabel('Password').fill(PASSWORD);
    await again.page.getByRole('button', { name: 'Sign in' }).click();
    await again.page.getByLabel('Code').fill(code!);
    expect(await again.violations()).toEqual([]);
    await again.page.getByRole('button', { name: 'Go on' }).click();
    await again.page.getByRole('heading', { name: 'Files', level: 1 }).waitFor();
  });

  it('is set up on the way to a page that its account cannot open without it', async () => {
    await story().group('careful', 'bob');
    await story().query(
      `INSERT INTO setting (app, key, value) VALUES ('system', 'second_factor_groups', '["careful"]')`,
    );
    const { page } = await story().open();
    const begun = await fetch(`${story().gateway.url}/login/v2`, { method: 'POST' });
    await page.goto(((await begun.json()) as { login: string }).login);
    await page.getByLabel('User name').fill('bob');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Set up an app' }).click();
    const secret = await page.getByLabel('Key').inputValue();
    await page.getByLabel('Code').fill(totpCode(secret));
    await page.getByRole('button', { name: 'Turn the second factor on' }).click();
    await page.getByRole('link', { name: 'Go on' }).click();
    await page.waitForURL('**/login/v2/flow/*');
  });
});
