import { totpCode } from '../edge/totp';
import { inBrowser, PASSWORD } from './browser-story';

inBrowser('the second factor of an account', { alice: 'Alice Example' }, (story) => {
  it('is set up in the settings, and required at the next sign-in', async () => {
    const alice = await story().signedIn('alice');
    await alice.goTo('Settings');
    await alice.page.getByRole('link', { name: 'Set up or turn off the second factor' }).click();
    await alice.page.getByRole('button', { name: 'Set up an app' }).click();
    await alice.page.getByRole('img', { name: 'Picture with the key for the app' }).waitFor();
    expect(await alice.violations()).toEqual([]);
    const secret = await alice.page.getByLabel('Key').inputValue();
    await alice.page.getByLabel('Code').fill(totpCode(secret, -1));
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
});
