import { createHash, randomBytes } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page, Request, Route } from 'playwright-core';
import { basicAuth, eventually } from '#testing';
import { inBrowser, PASSWORD } from './browser-story';
import { itInFullForm } from '../../libs/testing/src/full-form';

const MEBIBYTE = 1024 * 1024;
const FILE_BYTES = 200 * MEBIBYTE;
/** Bytes per second: slow enough to interrupt the upload in the middle. */
const UPLOAD_SPEED = 40 * MEBIBYTE;

jest.setTimeout(10 * 60_000);

const directory = mkdtempSync(join(tmpdir(), 'drawbridge-upload-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Writes a file without repetition. @returns its digest */
function writeLarge(path: string): string {
  const [file, hash] = [openSync(path, 'w'), createHash('sha256')];
  for (let at = 0; at < FILE_BYTES; at += MEBIBYTE) {
    const block = randomBytes(MEBIBYTE);
    hash.update(block);
    writeSync(file, block);
  }
  closeSync(file);
  return hash.digest('hex');
}

/** Reads the bar of the upload, as a page that loads its list shows another one. */
async function sentPart(page: Page): Promise<number> {
  const bar = page.getByRole('progressbar', { name: 'large.bin' });
  return bar.evaluate((shown: unknown) => (shown as { readonly position: number }).position);
}

async function whenSent(page: Page, part: number): Promise<void> {
  while ((await sentPart(page)) < part) await page.waitForTimeout(50);
}

const USERS = { alice: 'Alice', bob: 'Bob', carol: 'Carol', dave: 'Dave' };

inBrowser('the pages after an error', USERS, (story) => {
  it('continue a large upload after a broken network and after a reload of the page', async () => {
    const path = join(directory, 'large.bin');
    const digest = writeLarge(path);
    const alice = await story().signedIn('alice');
    const { page } = alice;
    const patches: Request[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PATCH') patches.push(request);
    });
    const network = await page.context().newCDPSession(page);
    const connect = (offline: boolean, uploadThroughput: number) =>
      network.send('Network.emulateNetworkConditions', {
        offline,
        latency: 0,
        downloadThroughput: -1,
        uploadThroughput,
      });
    await connect(false, UPLOAD_SPEED);
    await page.locator('input[type=file]:not([webkitdirectory])').setInputFiles(path);
    await whenSent(page, 0.2);
    await connect(true, UPLOAD_SPEED);
    await page.waitForTimeout(1500);
    await connect(false, UPLOAD_SPEED);
    const isKnown = (request: Request): boolean => Number(request.headers()['upload-offset']) > 0;
    await whenSent(page, 0.4);
    expect(patches.some(isKnown)).toBe(true);

    patches.length = 0;
    await page.reload();
    await page.getByRole('heading', { name: 'Files', level: 1 }).waitFor();
    await page.locator('input[type=file]:not([webkitdirectory])').setInputFiles(path);
    await whenSent(page, 0.5);
    expect(isKnown(patches[0]!)).toBe(true);
    await connect(false, -1);
    await page.getByText(', done').waitFor();
    const reply = await fetch(`${story().gateway.url}/remote.php/dav/files/alice/large.bin`, {
      headers: { authorization: basicAuth('alice', PASSWORD) },
    });
    const hash = createHash('sha256');
    for await (const chunk of reply.body!) hash.update(chunk as Uint8Array);
    expect(hash.digest('hex')).toBe(digest);
  });

  it('ask before a file is replaced, and keep both on request', async () => {
    for (const name of ['notes.txt', 'notes%20(2).txt']) await story().put('bob', name, 'before');
    const { page } = await story().signedIn('bob');
    const send = (): Promise<void> =>
      page
        .locator('input[type=file]:not([webkitdirectory])')
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

  itInFullForm('send many files a few at a time, and list a part of them', async () => {
    const { page } = await story().signedIn('carol');
    const held: Route[] = [];
    let isOpen = false;
    await page.route('**/remote.php/dav/files/carol/', (route) =>
      route.request().method() === 'POST' && !isOpen ? void held.push(route) : route.continue(),
    );
    const files = Array.from({ length: 120 }, (_, at) => ({
      name: `part-${at}.txt`,
      mimeType: 'text/plain',
      buffer: Buffer.from(`content ${at}`),
    }));
    await page.locator('input[type=file]:not([webkitdirectory])').setInputFiles(files);
    await page.getByText('0 of 120 are done. 100 of them are listed.').waitFor();
    await eventually('three requests', () => held.length === 3);
    expect(await page.getByText(', sending').count()).toBe(3);
    expect(await page.getByText(', waits for its turn').count()).toBe(97);
    isOpen = true;
    for (const route of held) await route.continue();
    await page.getByText('120 of 120 are done. 100 of them are listed.').waitFor({ timeout: 300_000 });
    expect(held).toHaveLength(3);
    await page.getByRole('button', { name: 'Remove finished' }).click();
    await page.getByRole('heading', { name: 'Uploads' }).waitFor({ state: 'detached' });
    const reply = await fetch(`${story().gateway.url}/remote.php/dav/files/carol/part-119.txt`, {
      headers: { authorization: basicAuth('carol', PASSWORD) },
    });
    expect(await reply.text()).toBe('content 119');
  });

  itInFullForm('say at once that there is no room for an upload', async () => {
    await fetch(`${story().gateway.url}/ocs/v2.php/cloud/users/dave`, {
      method: 'PUT',
      headers: { authorization: story().gateway.adminAuth },
      body: new URLSearchParams({ key: 'quota', value: '1000 B' }),
    });
    const { page } = await story().signedIn('dave');
    let attempts = 0;
    page.on('request', (request) => (attempts += Number(request.method() === 'POST')));
    await page
      .locator('input[type=file]:not([webkitdirectory])')
      .setInputFiles({ name: 'large.bin', mimeType: 'a/b', buffer: Buffer.alloc(5000) });
    await page.getByRole('alert').filter({ hasText: 'There is no room left' }).waitFor();
    expect(attempts).toBe(1);
  });

  it('claim nothing that did not happen or is not known', async () => {
    await story().put('dave', 'kept.txt', '');
    const { page } = await story().signedIn('dave');
    await page.route('**/files_sharing/api/v1/shares?*', (route) => route.fulfill({ status: 503 }));
    const row = page.getByRole('row').filter({ hasText: 'kept.txt' });
    await row.locator('summary').click();
    await row.getByText('Share', { exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Try again' }).waitFor();
    expect(await page.getByText('Nobody else can see this.').count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.route('**/trashbin/**', (route) => route.fulfill({ status: 503 }));
    await row.locator('summary').click();
    await row.getByText('Delete', { exact: true }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('This cannot be reached at the moment.').waitFor();
    expect(await page.getByText('kept.txt is back.').count()).toBe(0);
  });

  itInFullForm('show that lists cannot be read instead of showing them as empty', async () => {
    const dave = await story().signedIn('dave');
    const { page } = dave;
    const cannotBeRead = page.getByRole('alert').filter({ hasText: 'This cannot be reached at the moment.' });
    await page.route('**/api/v1/offer-blocks*', (route) => route.fulfill({ status: 503 }));
    await page.route('**/remote_shares?*', (route) => route.fulfill({ status: 503 }));
    await dave.goTo('From other organisations');
    await eventually('both lists say it', async () => (await cannotBeRead.count()) === 2);
    expect(await page.getByText('Nobody is blocked.').count()).toBe(0);
    await page.unroute('**/api/v1/offer-blocks*');
    await cannotBeRead.last().getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Nobody is blocked.').waitFor();
  });

  itInFullForm(
    'keep the name of a new folder and the password of a link until they are accepted',
    async () => {
      await story().put('dave', 'taken');
      await story().link('dave', { path: '/taken' });
      const dave = await story().signedIn('dave');
      const { page } = dave;
      await page.getByRole('button', { name: 'New folder' }).click();
      const name = page.getByLabel('Name of the folder');
      await name.fill('taken');
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page
        .getByRole('status')
        .filter({ hasText: 'Something of this name is there already.' })
        .waitFor();
      await name.fill('another');
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByRole('rowheader', { name: 'another' }).waitFor();
      await name.waitFor({ state: 'detached' });

      await dave.choose('taken', 'Share');
      await page.getByText(/^Options of the link/).click();
      const password = page.getByLabel('Password', { exact: true });
      const keep = page.getByRole('button', { name: 'Set a password' });
      await page.route('**/api/v1/shares/*', (route) => route.fulfill({ status: 503 }), { times: 1 });
      await password.fill('a password for guests');
      await keep.click();
      await page.getByText('This cannot be reached at the moment.').waitFor();
      expect(await password.inputValue()).toBe('a password for guests');
      await keep.click();
      await page.getByText('It has a password.').waitFor();
    },
  );

  itInFullForm('show a changed name and mail address at once', async () => {
    const dave = await story().signedIn('dave');
    const { page } = dave;
    await dave.goTo('Settings');
    await page.getByRole('textbox', { name: 'Mail address' }).fill('dave@example.org');
    await page.getByRole('button', { name: 'Save: Mail address' }).click();
    await page.getByRole('definition').filter({ hasText: 'dave@example.org' }).waitFor();
    await page.getByRole('textbox', { name: 'Display name' }).fill('Dave the Second');
    await page.getByRole('button', { name: 'Save: Display name' }).click();
    await page.getByRole('banner').getByText('Dave the Second').waitFor();
  });

  itInFullForm('have a title each, which follows their heading', async () => {
    const dave = await story().signedIn('dave');
    await dave.hasTitle('Files - Drawbridge');
    await dave.goTo('Settings');
    await dave.hasTitle('Settings - Drawbridge');
    await dave.page.goBack();
    await dave.hasTitle('Files - Drawbridge');
  });

  it('ask before they are left while an upload runs', async () => {
    const { page } = await story().signedIn('dave');
    await page.route('**/remote.php/dav/files/dave/', (route) =>
      route.request().method() === 'POST' ? undefined : route.continue(),
    );
    const asked: string[] = [];
    page.on('dialog', (dialog) => {
      asked.push(dialog.type());
      void dialog.accept();
    });
    await page
      .locator('input[type=file]:not([webkitdirectory])')
      .setInputFiles({ name: 'slow.bin', mimeType: 'a/b', buffer: Buffer.alloc(10) });
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    // Browsers ask only people who have used the page.
    await page.getByRole('heading', { name: 'Uploads' }).click();
    await page.reload();
    expect(asked).toEqual(['beforeunload']);
  });

  itInFullForm('show the sign-in after the password was changed elsewhere', async () => {
    const { page } = await story().signedIn('carol');
    // Without events of the server, the page notices it at its next request.
    await page.route('**/web/events', () => undefined);
    await page.reload();
    await page.getByRole('button', { name: 'New folder' }).waitFor();
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

  itInFullForm('show news again after the server refused to tell them', async () => {
    const bob = await story().open();
    let isFirst = true;
    await bob.page.route('**/web/events', (route) => {
      if (!isFirst) return route.continue();
      isFirst = false;
      return route.fulfill({ status: 503 });
    });
    const accepted = bob.page.waitForResponse(
      (reply) => reply.url().endsWith('/web/events') && reply.status() === 200,
    );
    await bob.signIn('bob', PASSWORD);
    await accepted;
    await story().put('bob', 'after-refusal.txt', 'news');
    await bob.page.getByRole('rowheader', { name: 'after-refusal.txt' }).waitFor();
  });

  itInFullForm('show news in all tabs after another tab signed in again', async () => {
    const { page: one } = await story().open();
    const other = await one.context().newPage();
    for (const page of [one, other]) {
      await page.goto('/login?next=%2Fweb%2Ffiles');
      await page.getByLabel('User name').fill('bob');
      await page.getByLabel('Password').fill(PASSWORD);
    }
    const connected = one.waitForResponse('**/web/events');
    await one.getByRole('button', { name: 'Sign in' }).click();
    await connected;
    await one.waitForLoadState();
    const loadedAgain = one.waitForEvent('load');
    await other.getByRole('button', { name: 'Sign in' }).click();
    await loadedAgain;
    await other.getByRole('heading', { name: 'Files', level: 1 }).waitFor();
    await story().put('bob', 'after-sign-in.txt', 'news');
    for (const page of [one, other])
      await page.getByRole('rowheader', { name: 'after-sign-in.txt' }).waitFor();
    // A change needs the request token of the new session.
    await one.getByRole('button', { name: 'New folder' }).click();
    await one.getByLabel('Name of the folder').fill('Changed later');
    await one.getByRole('button', { name: 'Save' }).click();
    await other.getByRole('link', { name: 'Changed later' }).waitFor();
  });

  itInFullForm('ask to wait after many wrong passwords', async () => {
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
