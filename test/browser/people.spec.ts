import { readFile } from 'node:fs/promises';
import { eventually } from '#testing';
import { unpack } from '../../libs/testing/src/rigs/unpacking';
import { inBrowser, MARKUP, PASSWORD } from './browser-story';
import { itInFullForm } from '../../libs/testing/src/full-form';

const USERS = { alice: 'Alice <b>Example</b>', bob: 'Bob Example', carol: 'Carol Example' };

inBrowser('the pages of signed-in people', USERS, (story) => {
  it('ask for the password, and open the requested page', async () => {
    const person = await story().open();
    const { page } = person;
    await page.goto('/web/trash');
    await page.getByLabel('User name').fill('alice');
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    expect(await person.violations()).toEqual([]);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Deleted files' }).waitFor();
    expect(person.path).toBe('/web/trash');
  });

  it('create a folder, upload a file, share it, and the recipient sees it', async () => {
    const alice = await story().signedIn('alice');
    const { page } = alice;
    await page.getByRole('button', { name: 'New folder' }).click();
    await page.getByLabel('Name of the folder').fill('Plans');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'Plans' }).click();
    await page.getByText('This folder is empty.').waitFor();
    await page
      .locator('input[type=file]:not([webkitdirectory])')
      .setInputFiles({ name: MARKUP, mimeType: 'text/plain', buffer: Buffer.from('plan') });
    await page.getByRole('rowheader', { name: MARKUP }).waitFor();
    await page.getByText('done', { exact: false }).waitFor();
    expect(await alice.violations()).toEqual([]);
    await page.getByRole('link', { name: 'All files' }).click();
    await alice.choose('Plans', 'Share');
    await page.getByLabel(/^Share with a person/).fill('bob');
    await page.getByRole('button', { name: /Bob Example/ }).click();
    await page.getByLabel('Permissions of Bob Example').selectOption('edit');
    await page.getByText('Options of the share with Bob Example').click();
    await page.getByLabel('Note for Bob Example').fill(`Please read ${MARKUP}`);
    await page.getByRole('button', { name: 'Save the note' }).click();
    await page.getByLabel('Ends on, for Bob Example').fill('2099-12-31');
    await page.getByRole('button', { name: 'New public link' }).click();
    await page.getByLabel('Public link', { exact: true }).waitFor();
    await page.getByText(/^Options of the link/).click();
    await page.getByLabel('Note', { exact: true }).fill(`For guests ${MARKUP}`);
    await page
      .getByRole('region', { name: /^Options of the link/ })
      .getByText('Save the note')
      .click();
    expect(await alice.violations()).toEqual([]);
    const address = await page.getByLabel('Public link', { exact: true }).inputValue();
    await page.keyboard.press('Escape');
    await alice.goTo('Public links');
    await page
      .getByRole('row')
      .filter({ hasText: `For guests ${MARKUP}` })
      .waitFor();
    expect(await alice.violations()).toEqual([]);
    await alice.goTo('Activity', 'What happened to my shares');
    const steps = alice.page.getByRole('row').filter({ hasText: 'Plans' });
    await steps.filter({ hasText: 'Public link' }).filter({ hasText: 'shared' }).first().waitFor();
    await steps.filter({ hasText: 'bob' }).filter({ hasText: 'changed' }).first().waitFor();
    expect(await alice.violations()).toEqual([]);
    const guest = await story().open();
    await guest.page.goto(address);
    await guest.page.getByText(`For guests ${MARKUP}`).waitFor();
    expect(await guest.violations()).toEqual([]);

    const bob = await story().signedIn('bob', { colorScheme: 'dark' });
    await bob.page.getByRole('link', { name: 'Plans' }).click();
    await bob.page.getByRole('rowheader', { name: MARKUP }).waitFor();
    await bob.goTo('Shared with me');
    await bob.page.getByRole('rowheader', { name: `Plans Please read ${MARKUP}` }).waitFor();
    await bob.page.getByRole('cell', { name: 'Alice <b>Example</b>' }).waitFor();
    expect(await bob.violations()).toEqual([]);
  });

  it('share a folder with a group, and a member changes its content', async () => {
    await story().group('crew', 'bob');
    await story().put('alice', 'Crew%20plans');
    await story().put('alice', 'Crew%20plans/route.txt', 'north');
    const alice = await story().signedIn('alice');
    await alice.choose('Crew plans', 'Share');
    await alice.page.getByLabel(/^Share with a person/).fill('crew');
    await alice.page.getByRole('button', { name: /crew/ }).click();
    const saved = alice.page.waitForResponse((reply) => reply.request().method() === 'PUT');
    await alice.page.getByLabel('Permissions of crew').selectOption('edit');
    expect((await saved).status()).toBe(200);
    expect(await alice.violations()).toEqual([]);

    const bob = await story().signedIn('bob');
    await bob.page.getByRole('link', { name: 'Crew plans' }).click();
    await bob.choose('route.txt', 'Rename');
    await bob.page.getByLabel('New name').fill('route south.txt');
    await bob.page.getByRole('button', { name: 'Save' }).click();
    await bob.page.getByRole('rowheader', { name: 'route south.txt' }).waitFor();
    await alice.page.keyboard.press('Escape');
    await alice.page.getByRole('link', { name: 'Crew plans' }).click();
    await alice.page.getByRole('rowheader', { name: 'route south.txt' }).waitFor();
  });

  itInFullForm('show the file of a private link, with its details if the link asks for them', async () => {
    const alice = await story().signedIn('alice');
    const { page } = alice;
    const { link } = await page.evaluate(async () => {
      const { requestToken, uid } = (await (await fetch('/web/session')).json()) as Record<string, string>;
      const headers = { requesttoken: requestToken!, depth: '0', 'content-type': 'application/xml' };
      const at = `/remote.php/dav/files/${uid}/linked`;
      await fetch(at, { method: 'MKCOL', headers });
      await fetch(`${at}/meant.txt`, { method: 'PUT', headers, body: 'x' });
      const body = '<propfind xmlns="DAV:"><prop><fileid xmlns="http://owncloud.org/ns"/></prop></propfind>';
      const reply = await fetch(`${at}/meant.txt`, { method: 'PROPFIND', headers, body });
      return { link: `/f/${/fileid>(\d+)</.exec(await reply.text())![1]}` };
    });
    await page.goto(link);
    await page.getByRole('rowheader', { name: 'meant.txt' }).waitFor();
    expect(alice.path).toBe('/web/files/linked?shown=meant.txt');
    await page.locator('a:focus').getByText('meant.txt').waitFor();
    await page.goto(`${link}?details=sharing`);
    await page.getByRole('dialog').getByText('meant.txt').waitFor();
    expect(await alice.violations()).toEqual([]);
  });

  itInFullForm('show a new folder that was created before the first list arrived', async () => {
    const alice = await story().open();
    const { page } = alice;
    const made = page.waitForResponse((reply) => reply.request().method() === 'MKCOL');
    let isFirst = true;
    await page.route('**/remote.php/dav/files/**', async (route) => {
      if (route.request().method() !== 'PROPFIND' || !isFirst) return route.continue();
      isFirst = false;
      const response = await route.fetch();
      await made;
      return route.fulfill({ response });
    });
    await alice.signIn('alice', PASSWORD);
    await page.getByRole('button', { name: 'New folder' }).click();
    await page.getByLabel('Name of the folder').fill('Overtaken');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'Overtaken' }).waitFor();
  });

  it('delete a file, and bring it back by undo and from the trash bin', async () => {
    const bob = await story().signedIn('bob');
    const { page } = bob;
    await page
      .locator('input[type=file]:not([webkitdirectory])')
      .setInputFiles({ name: 'draft.txt', mimeType: 'text/plain', buffer: Buffer.from('draft') });
    const draft = page.getByRole('rowheader', { name: 'draft.txt' });
    await draft.waitFor();
    await bob.choose('draft.txt', 'Delete');
    await draft.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await draft.waitFor();
    await bob.choose('draft.txt', 'Delete');
    await draft.waitFor({ state: 'detached' });
    await bob.goTo('Deleted files');
    await draft.waitFor();
    expect(await bob.violations()).toEqual([]);
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByText('The trash bin is empty.').waitFor();
    await bob.goTo('Files');
    await draft.waitFor();
  });

  itInFullForm('use a dialog on a small screen beside a message that stays', async () => {
    for (const path of ['gone.txt', 'stays.txt']) await story().put('bob', path, path);
    const bob = await story().signedIn('bob', { viewport: { width: 390, height: 240 } });
    const { page } = bob;
    await bob.choose('gone.txt', 'Delete');
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await bob.choose('stays.txt', 'Rename');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Undo' }).waitFor();
    await dialog.getByLabel('New name').fill('renamed.txt');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('rowheader', { name: 'renamed.txt' }).waitFor();
  });

  it('move and delete several chosen files, and undo both', async () => {
    for (const path of ['box', 'one.txt', 'two.txt', 'box/inner'])
      await story().put('bob', path, path.endsWith('.txt') ? path : undefined);
    const bob = await story().signedIn('bob');
    const { page } = bob;
    const [one, two] = ['one.txt', 'two.txt'].map((name) => page.getByRole('rowheader', { name }));
    const choose = async (): Promise<void> => {
      for (const name of ['one.txt', 'two.txt']) await page.getByLabel(`Choose ${name}`).check();
    };
    await choose();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download as ZIP' }).click();
    expect((await download).suggestedFilename()).toMatch(/\.zip$/);
    await page.getByRole('group', { name: 'What is chosen' }).getByText('Move').click();
    await page.getByRole('dialog').getByRole('button', { name: 'box' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'inner' }).waitFor();
    expect(await bob.violations()).toEqual([]);
    await page.getByRole('button', { name: 'Move here' }).click();
    await one!.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await two!.waitFor();
    await choose();
    await page.getByRole('group', { name: 'What is chosen' }).getByText('Delete').click();
    await two!.waitFor({ state: 'detached' });
    await page.getByText('2 entries were deleted.').waitFor();
    await page
      .getByRole('status')
      .filter({ hasText: '2 entries' })
      .getByRole('button', { name: 'Undo' })
      .last()
      .click();
    await one!.waitFor();
    await two!.waitFor();
  });

  itInFullForm('download a choice of files whose names are longer than an address may be', async () => {
    const names = Array.from(
      { length: 100 },
      (_, at) => `${String(at).padStart(3, '0')}${'n'.repeat(200)}.txt`,
    );
    await story().put('carol', 'many');
    for (const name of names) await story().put('carol', `many/${name}`, 'x');
    const { page } = await story().signedIn('carol');
    await page.goto('/web/files/many');
    await page.getByLabel('Choose all').check();
    await page.getByLabel(`Choose ${names[0]}`).uncheck();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download as ZIP' }).click();
    const content = await readFile(await (await download).path());
    const unpacked = await unpack(content, 'zip');
    expect(Object.keys(unpacked).sort()).toEqual(names.slice(1));
    expect(new URL(page.url()).pathname).toBe('/web/files/many');
  });

  itInFullForm('draw only the rows of a long list that are near the screen', async () => {
    await story().put('bob', 'many');
    await story()
      .query(`INSERT INTO node (storage_id, parent_id, owner_uid, name, path, kind, mimetype, size, mtime, etag)
      SELECT p.storage_id, p.id, p.owner_uid, made, p.path || '/' || made, 'folder', p.mimetype, 0, now(), md5(made)
      FROM node p, (SELECT 'n' || lpad(n::text, 5, '0') AS made FROM generate_series(1, 5000) n) names
      WHERE p.owner_uid = 'bob' AND p.name = 'many'`);
    const bob = await story().signedIn('bob');
    const { page } = bob;
    await page.getByRole('link', { name: 'many' }).click();
    await page.getByRole('link', { name: 'n00001' }).waitFor();
    expect(await page.getByRole('row').count()).toBeLessThan(200);
    // The rows arrive in parts, so the end of the list moves while they do.
    await eventually('the last row is shown', async () => {
      await page.keyboard.press('End');
      return page.getByRole('link', { name: 'n05000' }).isVisible();
    });
    expect(await bob.violations()).toEqual([]);
  });

  itInFullForm('show the versions of a file, and restore one', async () => {
    await story().put('bob', 'letter.txt', 'first');
    await story().put('bob', 'letter.txt', 'the second');
    const bob = await story().signedIn('bob');
    await bob.choose('letter.txt', 'Versions');
    await bob.page.getByRole('cell', { name: 'Bob Example' }).waitFor();
    expect(await bob.violations()).toEqual([]);
    await bob.page.getByRole('button', { name: 'Restore' }).first().click();
    await bob.page.getByText(/^The version of .* is back/).waitFor();
    await bob.page.keyboard.press('Escape');
    await bob.page.getByRole('link', { name: 'letter.txt' }).click();
    await bob.page.frameLocator('iframe').getByText('first').waitFor();
  });

  it('make an app password, which is shown once, and revoke it', async () => {
    const alice = await story().signedIn('alice');
    const { page } = alice;
    await alice.goTo('Settings');
    await page.getByRole('link', { name: 'Make and revoke app passwords' }).click();
    await page.getByText('You have no app passwords.').waitFor();
    await page.getByLabel('App or device').fill(MARKUP);
    await page.getByLabel('Reading only').check();
    await page.getByRole('button', { name: 'Make an app password' }).click();
    expect(await page.getByLabel('App password', { exact: true }).inputValue()).toMatch(/^(\w{5}-){5}\w{5}$/);
    await page.getByRole('cell', { name: 'Files, Sharing, Reading only' }).waitFor();
    expect(await alice.violations()).toEqual([]);
    await page.reload();
    await page.getByRole('rowheader', { name: MARKUP }).waitFor();
    expect(await page.getByLabel('App password', { exact: true }).count()).toBe(0);
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('button', { name: `Revoke ${MARKUP}` }).click();
    await page.getByText('You have no app passwords.').waitFor();
  });

  itInFullForm('show where the user is signed in, and sign them out there', async () => {
    const [here, there] = [await story().signedIn('alice'), await story().signedIn('alice')];
    await here.goTo('Settings');
    expect(await here.violations()).toEqual([]);
    await here.page.getByRole('button', { name: 'Sign out everywhere else' }).click();
    await here.page.getByRole('button', { name: 'Sign out there' }).first().waitFor({ state: 'detached' });
    // The server tells the other page that its session has ended.
    await there.page.getByLabel('Password').waitFor();
    await here.page.getByRole('button', { name: 'Sign out' }).first().click();
    await here.page.getByLabel('Password').waitFor();
    await here.page.goto('/web/files');
    expect(here.path).toBe('/login?next=%2Fweb%2Ffiles');
  });

  it('work in German, on a telephone, and without a pointer', async () => {
    const person = await story().open({ locale: 'de-DE', viewport: { width: 390, height: 800 } });
    const { page } = person;
    await page.goto('/');
    await page.getByLabel('Benutzername').fill('bob');
    await page.getByLabel('Passwort').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Dateien', level: 1 }).waitFor();
    expect(await person.overflows()).toBe(false);
    await page.getByRole('button', { name: 'Neuer Ordner' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.type('Bilder');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Bilder' }).waitFor();
    await page.evaluate<unknown>("document.documentElement.dir = 'rtl'");
    expect(await person.overflows()).toBe(false);
    expect(await person.violations()).toEqual([]);
  });
});
