import { basicAuth } from '#testing';
import { inBrowser, PASSWORD } from './browser-story';

jest.setTimeout(5 * 60_000);

inBrowser('the pages when something goes wrong', { bob: 'Bob', carol: 'Carol' }, (story) => {
  it('ask before a file is replaced, and keep both where that is chosen', async () => {
    for (const name of ['notes.txt', 'notes%20(2).txt']) await story().put('bob', name, 'before');
    const { page } = await story().signedIn('bob');
    const send = (): Promise<void> =>
      page
        .locator('input[type=file]')
        .setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('after') });
    await send();
    await page.getByRole('button', { name: 'Keep both' }).click();
    await page.getByRole('rowheader', { name: 'notes (3).txt' }).waitFor();
    await page.getByRole('button', { name: 'Remove finished' }).click();
    await send();
    await page.getByRole('button', { name: 'Replace it' }).click();
    await page.getByText(', done').waitFor();
    const contents = await Promise.all(
      ['notes.txt', 'notes%20(2).txt', 'notes%20(3).txt'].map(async (name) =>
        (
          await fetch(`${story().gateway.url}/remote.php/dav/files/bob/${name}`, {
            headers: { authorization: basicAuth('bob', PASSWORD) },
          })
        ).text(),
      ),
    );
    expect(contents).toEqual(['after', 'before', 'after']);
  });

  it('lead to the sign-in when the password was changed elsewhere', async () => {
    const { page } = await story().signedIn('carol');
    const changed = await fetch(`${story().gateway.url}/ocs/v2.php/cloud/users/carol`, {
      method: 'PUT',
      headers: { authorization: basicAuth('carol', PASSWORD) },
      body: new URLSearchParams({ key: 'password', value: 'another password of the specs' }),
    });
    expect(changed.status).toBe(200);
    await page.getByRole('button', { name: 'New folder' }).click();
    await page.getByLabel('Name of the folder').fill('Late');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it('tell to wait after many wrong passwords', async () => {
    const person = await story().open();
    const { page } = person;
    await page.goto('/login');
    const alert = page.getByRole('alert');
    for (let attempt = 1; attempt <= 12; attempt++) {
      await page.getByLabel('User name').fill('carol');
      await page.getByLabel('Password').fill(`wrong ${attempt}`);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await alert.waitFor();
      if ((await alert.innerText()).includes('Wait a few minutes')) break;
    }
    expect(await alert.innerText()).toContain('Wait a few minutes');
    expect(await person.violations()).toEqual([]);
  });
});
