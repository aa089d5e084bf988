import { ADMIN, eventually } from '#testing';
import type { Person } from './browser-stage';
import { inBrowser } from './browser-story';
import { itInFullForm } from '../../libs/testing/src/full-form';

jest.setTimeout(8 * 60_000);

inBrowser('the pages of operators', { alice: 'Alice Example' }, (story) => {
  /** A partner that no longer exists. */
  let host: string;

  beforeAll(async () => {
    const there = await story().neighbour({ bea: 'Bea Example' });
    host = there.gateway.url.replace('http://', '');
    await story().put('alice', 'plan.txt', 'plan');
    const share = { path: '/plan.txt', shareType: '6', shareWith: `bea@${host}` };
    const { id } = await story().share('alice', share);
    await there.stop();
    await story().endShare('alice', id);
  });

  async function operator(): Promise<Person> {
    const admin = await story().open();
    await admin.signIn(ADMIN.uid, ADMIN.password);
    await admin.goTo('Operation');
    return admin;
  }

  async function partners(): Promise<Person> {
    const admin = await operator();
    await admin.page.getByRole('link', { name: 'Partners', exact: true }).click();
    return admin;
  }

  it('show an unreachable partner, its messages and their attempts, and discard and replay one', async () => {
    const admin = await partners();
    const { page } = admin;
    const row = page.getByRole('row').filter({ hasText: host });
    await row.getByRole('link', { name: 'Messages' }).click();
    const message = page.getByRole('row').filter({ hasText: host }).last();
    const state = page.getByLabel('State');
    expect(await state.getByRole('option').allInnerTexts()).toEqual([
      'all',
      'waits',
      'is in the queue',
      'is being sent',
      'delivered',
      'the other server has no such message',
      'refused by the other server',
      'given up',
      'cancelled by an operator',
      'replaced by a later message',
    ]);
    await message.getByRole('button', { name: /^(?:offer|end): share \d+$/ }).click();
    await page
      .getByRole('dialog')
      .getByText(/written/)
      .waitFor();
    expect(await admin.violations()).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByLabel('Id of a share').fill('999999');
    await page.keyboard.press('Enter');
    await page.getByText('There are no such messages.').waitFor();
    await page.getByLabel('Id of a share').fill('');
    await page.keyboard.press('Enter');
    await message.getByRole('button', { name: 'Discard' }).click();
    await page.getByText('The partner does not get the message.', { exact: false }).waitFor();
    expect(await admin.violations()).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await message.getByText('cancelled by an operator').waitFor();
    await message.getByRole('button', { name: 'Send again' }).click();
    await message.getByText('cancelled by an operator').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Send again what was given up' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send again what was given up' }).click();
    await page.getByText(/messages are sent again/).waitFor();
  });

  itInFullForm(
    'show the health of the instance on the first page, with plots of hours and days',
    async () => {
      await story().query(`INSERT INTO operation_sample
      SELECT date_trunc('minute', now()) - n * interval '5 minutes', n % 7, n % 2, n % 5, 1 FROM generate_series(0, 200) n
      ON CONFLICT DO NOTHING`);
      const admin = await operator();
      const { page } = admin;
      await page.getByRole('heading', { name: 'Overview', level: 2 }).waitFor();
      await page.locator('canvas').nth(1).waitFor();
      await page
        .getByText(/^0\.1\.0 \d+@/)
        .first()
        .waitFor();
      expect(await admin.violations()).toEqual([]);
      await page.getByRole('button', { name: 'Last 30 days' }).click();
      await page.locator('canvas').nth(1).waitFor();
      await page.setViewportSize({ width: 390, height: 800 });
      expect(await admin.overflows()).toBe(false);
      expect(await admin.violations()).toEqual([]);
    },
  );

  itInFullForm(
    'show the data of a partner, and pause, pin and limit it after showing the consequence',
    async () => {
      const admin = await partners();
      const { page } = admin;
      await page.getByRole('link', { name: host, exact: true }).click();
      await page.getByRole('heading', { name: host, level: 2 }).waitFor();
      await page.locator('code').first().waitFor();
      expect(await admin.violations()).toEqual([]);
      const change = async (action: string, fill?: () => Promise<void>): Promise<void> => {
        await page.getByRole('button', { name: action, exact: true }).click();
        await fill?.();
        await page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click();
      };
      await change('Pause', async () => {
        await page.getByText('Nothing is sent to it until it is resumed.', { exact: false }).waitFor();
        expect(await admin.violations()).toEqual([]);
      });
      await page.getByText('paused by an operator').waitFor();
      await change('Reset and send now');
      await page.getByText('paused by an operator').waitFor({ state: 'detached' });
      await change('Pin dialects', () => page.getByLabel(/^Dialects/).fill('ocm-webdav'));
      await page.getByRole('button', { name: 'Unpin dialects' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Unpin dialects' }).click();
      await page.getByRole('button', { name: 'Unpin dialects' }).waitFor({ state: 'detached' });
      await change('Choose signatures', async () => {
        await page.getByLabel('Messages to it are signed by').selectOption('RFC 9421');
        expect(await admin.violations()).toEqual([]);
      });
      await change('Change limits', () => page.getByLabel('Deliveries at the same time').fill('7'));
      await page.getByText('7 at a time').waitFor();
    },
  );

  itInFullForm('count the rows of a partner’s rename, and refuse a host that is no partner', async () => {
    const admin = await partners();
    const { page } = admin;
    await page.getByRole('link', { name: host, exact: true }).click();
    await page.getByRole('button', { name: 'Rename', exact: true }).click();
    const asked = page.getByRole('dialog');
    await asked.getByLabel('New host of the partner').fill('127.0.0.1:9');
    await asked.getByRole('button', { name: 'Count what would be moved' }).click();
    await asked.getByText('0 shares, 0 received shares', { exact: false }).waitFor();
    expect(await admin.violations()).toEqual([]);
    await asked.getByRole('button', { name: 'Rename', exact: true }).click();
    await asked.getByText('Nothing was moved: 127.0.0.1:9 is not a partner (not-listening).').waitFor();
    expect(await admin.violations()).toEqual([]);
  });

  it('show names and texts of partners unchanged, with any characters', async () => {
    const words = `<img src="x" onerror="document.title='run'"><b>words</b>`;
    await story().query(
      `UPDATE peer SET discovery_error = $w$${words}$w$, profile = jsonb_set(profile, '{product}', to_jsonb($w$${words}$w$::text))
       WHERE host_key = '${host}'`,
    );
    for (const table of ['delivery_attempt', 'outbox_message'])
      await story().query(`UPDATE ${table} SET error_message = $w$${words}$w$`);
    await story().query(`INSERT INTO peer (host_key) VALUES ('<i>cloud</i>.example')`);
    const admin = await partners();
    const { page } = admin;
    await page.getByRole('link', { name: '<i>cloud</i>.example', exact: true }).click();
    await page.getByRole('heading', { name: '<i>cloud</i>.example', level: 2 }).waitFor();
    await page.getByText('host is the part of a federated cloud id', { exact: false }).waitFor();
    expect(await admin.violations()).toEqual([]);
    await page.getByRole('link', { name: 'Partners', exact: true }).first().click();
    await page.getByRole('link', { name: host, exact: true }).click();
    await page.getByText(words).first().waitFor();
    expect(await admin.violations()).toEqual([]);
    await page.getByRole('link', { name: 'Messages', exact: true }).last().click();
    await page.getByText(words).first().waitFor();
    expect(await admin.violations()).toEqual([]);
    expect(await page.locator('img[src="x"], main i, main b').count()).toBe(0);
    expect(await page.title()).not.toBe('run');
  });

  it('list all kinds of objects, and end a share and a report there', async () => {
    await story().query(`INSERT INTO offer_report (reporter_uid, host_key, owner, sender, name, reason)
      VALUES ('alice', 'cloud.partner.example', 'zoe@cloud.partner.example', 'zoe@cloud.partner.example', 'x <b>y</b>', 'an <i>advert</i>')`);
    await story()
      .query(`INSERT INTO stored_write (received_share_id, peer_id, path, writer_uid, share_name, host_key, size, sha1, blob_key,
        mtime, due_at, last_error)
      VALUES (0, 0, '/f.txt', 'alice', 'a <i>share</i>', 'cloud.partner.example', 1, '', 'none', now(), now() + interval '1 day', 'an <b>error</b>')`);
    await story().put('alice', 'listed.txt', 'x');
    await story().link('alice', { path: '/listed.txt' });
    const admin = await operator();
    const { page } = admin;
    await page.getByRole('link', { name: 'Lists', exact: true }).click();
    const lists = page.getByRole('navigation', { name: 'Lists' }).getByRole('link');
    await lists.first().waitFor();
    for (let at = 0; at < (await lists.count()); at += 1) {
      const name = (await lists.nth(at).textContent())!;
      await lists.nth(at).click();
      await page.getByRole('heading', { name, level: 3 }).waitFor();
      await page.getByText('Loading').waitFor({ state: 'detached' });
      expect(await admin.violations()).toEqual([]);
      expect(await page.getByText(/records\./).count()).toBe(0);
    }
    await page.getByRole('link', { name: 'Files that wait for partners' }).click();
    await page.getByRole('cell', { name: 'a <i>share</i>' }).waitFor();
    await page.getByRole('cell', { name: 'an <b>error</b>' }).waitFor();
    await story().query('DELETE FROM stored_write');
    await page.getByRole('link', { name: 'Keys of this server' }).click();
    await page.getByRole('button', { name: 'Make new keys', exact: true }).click();
    await page.getByText('New keys are made.', { exact: false }).waitFor();
    await page.locator('dialog form').getByRole('button', { name: 'Make new keys', exact: true }).click();
    await page.getByRole('cell', { name: 'leaving' }).first().waitFor();
    await page.getByRole('link', { name: 'Capabilities of other apps' }).click();
    await page.getByRole('button', { name: 'Announce an entry' }).click();
    await page.getByLabel('Name of the app').fill('notes');
    await page.getByLabel('Entry, as JSON').fill('{"notes": {"about": "<b>notes</b>"}}');
    expect(await admin.violations()).toEqual([]);
    await page.locator('dialog form').getByRole('button', { name: 'Announce an entry' }).click();
    await page.getByRole('cell', { name: '<b>notes</b>', exact: false }).waitFor();
    await page.getByRole('link', { name: 'Reported offers' }).click();
    await page.getByRole('cell', { name: 'an <i>advert</i>' }).waitFor();
    const confirm = async (action: string): Promise<void> => {
      await page
        .getByRole('button', { name: new RegExp(`^${action}: `) })
        .last()
        .click();
      await page.locator('dialog form').getByRole('button', { name: action, exact: true }).click();
    };
    await confirm('Close');
    await page.getByText('There is nothing here.').waitFor();
    await page.getByRole('link', { name: 'Shares', exact: true }).click();
    await page.getByLabel('Only of the account').fill('nobody');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByText('There is nothing here.').waitFor();
    await page.getByLabel('Only of the account').fill('alice');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByRole('cell', { name: 'listed.txt' }).waitFor();
    await confirm('Delete');
    await page.getByRole('cell', { name: 'listed.txt' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Health', exact: true }).click();
    await page.getByRole('cell', { name: 'storage: probe' }).waitFor();
    expect(await admin.violations()).toEqual([]);
  });

  itInFullForm('show the text of findings unchanged, with any characters', async () => {
    const words = `<img src="x" onerror="document.title='run'"><b>words</b>`;
    const admin = await operator();
    const { page } = admin;
    const finding = { state: 'failed', check: words, subject: words, seen: words, advice: words };
    await page.route('**/operation/findings*', (route) =>
      route.fulfill({ json: { ocs: { meta: { status: 'ok', statuscode: 200 }, data: [finding] } } }),
    );
    await page.getByRole('link', { name: 'Health', exact: true }).click();
    await page.getByRole('cell', { name: words, exact: true }).first().waitFor();
    expect(await admin.violations()).toEqual([]);
    expect(await page.locator('img[src="x"], main b').count()).toBe(0);
    expect(await page.title()).not.toBe('run');
  });

  it('change the trust of a partner after showing the consequence, and record it in the log', async () => {
    const admin = await partners();
    const { page } = admin;
    const row = page.getByRole('row').filter({ hasText: host });
    await row.getByRole('button', { name: 'Deny' }).click();
    await page
      .getByRole('dialog')
      .getByText(/messages that wait for it are given up/)
      .waitFor();
    expect(await admin.violations()).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Deny' }).click();
    await row.getByRole('cell', { name: 'denied' }).waitFor();
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('cell', { name: 'partner.trust' }).first().waitFor();
    expect(await admin.violations()).toEqual([]);
    await page.getByRole('button', { name: 'Export as CSV' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'audit.csv' }).click();
    expect((await download).suggestedFilename()).toBe('audit.csv');
  });

  it('create an account and a group, disable the account, and end it after showing a preview', async () => {
    const admin = await operator();
    const { page } = admin;
    await page.getByRole('link', { name: 'Groups' }).click();
    await page.getByLabel('New group').fill('crew');
    await page.getByRole('button', { name: 'Make it' }).click();
    await page.getByRole('button', { name: 'Members of crew' }).waitFor();
    expect(await admin.violations()).toEqual([]);
    await page.getByRole('link', { name: 'Accounts' }).click();
    await page.getByLabel('User name').fill('newcomer');
    await page.getByLabel('Password').fill('a password of newcomers');
    await page.getByRole('button', { name: 'Make it' }).click();
    await page.getByRole('heading', { name: 'newcomer', level: 2 }).waitFor();
    await page.getByLabel('Group', { exact: true }).fill('crew');
    await page.getByRole('button', { name: 'Put into the group' }).click();
    await page.getByRole('button', { name: 'Take out of the group crew' }).waitFor();
    await page.getByLabel('Display name', { exact: true }).fill('<b>New</b> Comer');
    await page.getByRole('button', { name: 'Save: Display name' }).click();
    expect(await admin.violations()).toEqual([]);
    for (const list of ['Sign-in at the issuer', 'Deleted files', 'Versions of a file'])
      await page.locator('summary').filter({ hasText: list }).click();
    await page.getByLabel('Path of the file').fill('/none.txt');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByText('This is not there any more.', { exact: false }).waitFor();
    expect(await admin.violations()).toEqual([]);
    await page.getByRole('button', { name: 'Disable', exact: true }).click();
    await page.getByText('They are signed out everywhere and cannot sign in.', { exact: false }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable', exact: true }).click();
    await page.getByText('is disabled').waitFor();
    await page.getByRole('button', { name: 'End the account' }).click();
    await page.getByLabel('Its files and shares').selectOption('are removed');
    await page.getByText('Until then it can be undone.', { exact: false }).waitFor();
    expect(await admin.violations()).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'End the account' }).click();
    await page.getByText('It will be removed with everything', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'End the account' }).waitFor();
  });

  it('change settings, and are for administrators only', async () => {
    const admin = await operator();
    const { page } = admin;
    await admin.hasTitle('Overview - Operation - Drawbridge');
    await page.getByRole('link', { name: 'Settings of the server' }).click();
    await admin.hasTitle('Settings of the server - Operation - Drawbridge');
    await page.getByLabel('Search', { exact: true }).fill('web/session_days');
    const field = page.getByLabel(/^web\/session_days/);
    await field.fill('3');
    await field.press('Enter');
    await page.getByRole('button', { name: 'Reset web/session_days to its default' }).click();
    await page.getByText('default', { exact: true }).waitFor();
    const stored = await field.inputValue();
    await field.fill('as long as possible');
    await field.press('Enter');
    await page.getByText(/^This did not work\. \(/).waitFor();
    await eventually('the field shows the stored value', async () => (await field.inputValue()) === stored);
    expect(await admin.violations()).toEqual([]);
    const alice = await story().signedIn('alice');
    expect(await alice.page.getByRole('link', { name: 'Operation' }).count()).toBe(0);
    for (const page of ['options', 'accounts']) {
      await alice.page.goto(`/web/console/${page}`);
      await alice.page.getByText('You may not do this.').waitFor();
      await alice.page.getByRole('heading', { name: 'Files', level: 1 }).waitFor();
    }
  });
});
