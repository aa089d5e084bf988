import { eventually } from '#testing';
import { itInFullForm } from '../../libs/testing/src/full-form';
import type { Page } from 'playwright-core';
import { inBrowser, PASSWORD } from './browser-story';

inBrowser(
  'the pages for a person who uses only the keyboard',
  { alice: 'Alice', bob: 'Bob Example' },
  (story) => {
    const focused = (page: Page): Promise<string> =>
      page.evaluate<string>(
        `(document.activeElement.ariaLabel ?? document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent).trim()`,
      );
    const has = (page: Page, name: string): Promise<unknown> =>
      eventually(`the focus is at "${name}"`, async () => (await focused(page)) === name);

    async function choose(page: Page, entry: string, action: string): Promise<void> {
      const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: entry }) });
      await row.locator('summary').focus();
      await page.keyboard.press('Enter');
      await row.getByText(action, { exact: true }).focus();
      await page.keyboard.press('Enter');
    }

    it('give the focus back to the row after a dialog', async () => {
      await story().put('alice', 'a.txt', 'a');
      const { page } = await story().signedIn('alice');
      for (const action of ['Share', 'Versions', 'Rename', 'Move']) {
        await choose(page, 'a.txt', action);
        await page.getByRole('dialog').waitFor();
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await has(page, 'Actions for a.txt');
      }
    });

    itInFullForm(
      'lead from a deleted entry to the next one, and from the last one to that before it',
      async () => {
        for (const name of ['a.txt', 'b.txt', 'c.txt']) await story().put('alice', name, name);
        const { page } = await story().signedIn('alice');
        await choose(page, 'b.txt', 'Delete');
        await has(page, 'Choose c.txt');
        await choose(page, 'c.txt', 'Delete');
        await has(page, 'Actions for a.txt');
      },
    );

    it('go on with the search after somebody was found', async () => {
      await story().put('alice', 'a.txt', 'a');
      const { page } = await story().signedIn('alice');
      await choose(page, 'a.txt', 'Share');
      await page.getByLabel(/^Share with a person/).fill('Bob');
      const found = page.getByRole('button', { name: 'Bob Example, person' });
      await found.focus();
      await page.keyboard.press('Enter');
      await page.getByLabel('Permissions of Bob Example').waitFor();
      expect(await focused(page)).toMatch(/^Share with a person/);
    });

    itInFullForm('pause an upload and go on with one key', async () => {
      const { page } = await story().signedIn('alice');
      await page.route('**/remote.php/dav/tus/**', () => undefined);
      const file = { name: 'slow.bin', mimeType: 'text/plain', buffer: Buffer.alloc(50_000_000) };
      await page.getByLabel('Upload', { exact: true }).setInputFiles(file);
      await page.getByRole('button', { name: 'Pause' }).focus();
      for (const next of ['Go on', 'Pause']) {
        await page.keyboard.press('Enter');
        await has(page, next);
      }
    });

    it('begin with the password after a wrong one', async () => {
      const { page } = await story().open();
      await page.goto('/');
      await page.getByLabel('User name').fill('alice');
      await page.getByLabel('Password').fill('a wrong password');
      await page.keyboard.press('Enter');
      await page.getByText('The user name or the password is wrong.', { exact: false }).waitFor();
      await has(page, 'Password');
      await page.keyboard.type(PASSWORD);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Files', level: 1 }).waitFor();
    });
  },
);
