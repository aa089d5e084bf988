#!/usr/bin/env node
// Takes pictures of the pages for docs/pages: a separate gateway with some content, in Chromium at 390 and 1280 pixels,
// light and dark. Run by `npm run screenshots`; CHROMIUM is the path of another browser.
import { mkdirSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import sharp from 'sharp';
import { ADMIN, repository, startGateway } from './gateway-process.mjs';

const WIDTHS = [390, 1280];
const SCHEMES = ['light', 'dark'];
const HEIGHT = 800;
const OUTPUT = join(repository, 'docs/pages');
const PASSWORD = 'a password of the pictures';
const PROGRAM = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser'].find(
  (path) => path && existsSync(path),
);
const basic = (user, password) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

async function call(url, [user, password], method, path, form) {
  const reply = await fetch(url + path, {
    method,
    headers: { authorization: basic(user, password) },
    ...(form !== undefined && { body: typeof form === 'string' ? form : new URLSearchParams(form) }),
  });
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
  return reply;
}

/** Creates two users, some files, and shares of each kind. @returns path of a public link */
async function furnish(url) {
  const admin = [ADMIN.user, ADMIN.password];
  const alice = ['alice', PASSWORD];
  for (const userid of ['alice', 'bob'])
    await call(url, admin, 'POST', '/ocs/v2.php/cloud/users', { userid, password: PASSWORD });
  const files = '/remote.php/dav/files/alice';
  for (const folder of ['Plans', 'Plans/2030', 'Photos'])
    await call(url, alice, 'MKCOL', `${files}/${folder}`);
  for (const [path, content] of [
    ['Plans/budget.txt', 'Rooms and tables'],
    ['Plans/notes.md', '# Notes\n\n- a list\n- of things'],
    ['letter.txt', 'Dear all'],
  ])
    await call(url, alice, 'PUT', `${files}/${path}`, content);
  const shares = '/ocs/v2.php/apps/files_sharing/api/v1/shares?format=json';
  const note = 'Please read until Friday.';
  await call(url, alice, 'POST', shares, { path: '/Plans', shareType: '0', shareWith: 'bob', note });
  const link = await call(url, alice, 'POST', shares, { path: '/Plans', shareType: '3', note });
  return `/s/${(await link.json()).ocs.data.token}`;
}

const PAGES = [
  ['sign-in', null, '/login'],
  ['files', 'alice', '/web/files'],
  ['shared-by-me', 'alice', '/web/given'],
  ['links', 'alice', '/web/links'],
  ['offers', 'alice', '/web/offers'],
  ['contacts', 'alice', '/web/contacts'],
  ['notifications', 'bob', '/web/notices'],
  ['settings', 'alice', '/web/settings'],
  ['overview', ADMIN.user, '/web/console/overview'],
  ['partners', ADMIN.user, '/web/console/partners'],
  ['messages', ADMIN.user, '/web/console/deliveries'],
  ['lists', ADMIN.user, '/web/console/records/shares'],
  ['accounts', ADMIN.user, '/web/console/accounts'],
  ['server-settings', ADMIN.user, '/web/console/options'],
  ['audit-log', ADMIN.user, '/web/console/audit'],
];

async function signIn(page, url, user) {
  await page.goto(`${url}/login`);
  await page.getByLabel('User name').fill(user);
  await page.getByLabel('Password').fill(user === ADMIN.user ? ADMIN.password : PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1 }).waitFor();
}

/** @returns its size in bytes */
async function picture(page, name) {
  const png = await page.screenshot({ fullPage: false });
  const { size } = await sharp(png)
    .webp({ quality: 70 })
    .toFile(join(OUTPUT, `${name}.webp`));
  return size;
}

async function takeAll(browser, url, link) {
  let bytes = 0;
  for (const width of WIDTHS)
    for (const colorScheme of SCHEMES) {
      const look = { viewport: { width, height: HEIGHT }, colorScheme, locale: 'en-GB', timezoneId: 'UTC' };
      for (const user of [null, 'alice', 'bob', ADMIN.user]) {
        const context = await browser.newContext(look);
        const page = await context.newPage();
        if (user !== null) await signIn(page, url, user);
        const pages = PAGES.filter(([, by]) => by === user);
        for (const [name, , path] of user === null ? [...pages, ['link', null, link]] : pages) {
          await page.goto(url + path);
          await page.waitForLoadState('networkidle');
          bytes += await picture(page, `${name}-${width}-${colorScheme}`);
        }
        await context.close();
      }
    }
  return bytes;
}

if (!PROGRAM) throw new Error('There is no Chromium: install it, or name it in CHROMIUM.');
mkdirSync(OUTPUT, { recursive: true });
const gateway = await startGateway();
const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
const browser = await chromium.launch({ executablePath: PROGRAM, args });
try {
  const bytes = await takeAll(browser, gateway.url, await furnish(gateway.url));
  console.log(`${OUTPUT}: ${Math.round(bytes / 1000)} kB`);
} finally {
  await browser.close();
  await gateway.stop();
}
