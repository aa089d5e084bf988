import type { Locator } from 'playwright-core';
import { basicAuth, eventually } from '#testing';
import { inBrowser, PASSWORD } from './browser-story';
import { itInFullForm } from '../../libs/testing/src/full-form';

interface ShownShare {
  readonly share_with: string;
  readonly permissions: number;
  readonly expiration: string | null;
  readonly note?: string;
  readonly attributes: string | null;
}

inBrowser('the dialog of shares', { alice: 'Alice Example', bob: 'Bob Example' }, (story) => {
  /** The shares of a path, as the server has them. */
  async function sharesOf(path: string): Promise<ShownShare[]> {
    const query = new URLSearchParams({ path, format: 'json' });
    const address = `${story().gateway.url}/ocs/v2.php/apps/files_sharing/api/v1/shares?${query.toString()}`;
    const reply = await fetch(address, { headers: { authorization: basicAuth('alice', PASSWORD) } });
    return ((await reply.json()) as { ocs: { data: ShownShare[] } }).ocs.data;
  }

  const facts = async (path: string) =>
    (await sharesOf(path))
      .map(({ share_with, permissions, expiration, note, attributes }) => ({
        share_with,
        permissions,
        expiration,
        note,
        attributes,
      }))
      .toSorted((one, other) => one.share_with.localeCompare(other.share_with));

  const becomes = (field: Locator, value: string): Promise<unknown> =>
    eventually(`the field shows "${value}"`, async () => (await field.inputValue()) === value);

  it('gives a person and a group access again by undo, with all that the share had', async () => {
    await story().group('crew', 'bob');
    await story().put('alice', 'budget');
    const given = {
      path: '/budget',
      permissions: '7',
      expireDate: '2099-12-31',
      note: 'until the end',
      attributes: JSON.stringify([{ scope: 'permissions', key: 'download', enabled: false }]),
    };
    await story().share('alice', { ...given, shareType: '0', shareWith: 'bob' });
    await story().share('alice', { ...given, shareType: '1', shareWith: 'crew' });
    const before = await facts('/budget');
    expect(before).toHaveLength(2);
    const alice = await story().signedIn('alice');
    const { page } = alice;
    await alice.choose('budget', 'Share');
    for (const name of ['Bob Example', 'crew']) {
      await page.getByRole('button', { name: `End sharing with ${name}` }).click();
      await page.getByText(`${name} has no access any more.`).waitFor();
    }
    await page.getByText('Nobody else can see this.').waitFor();
    await page.keyboard.press('Escape');
    for (const count of [1, 2]) {
      await page.getByRole('button', { name: 'Undo' }).first().click();
      await eventually('the share is back', async () => (await sharesOf('/budget')).length === count);
    }
    expect(await facts('/budget')).toEqual(before);
  });

  itInFullForm(
    'shows what the server has after a refused or failed change, and the words of the refusal',
    async () => {
      await story().put('alice', 'minutes');
      await story().share('alice', { path: '/minutes', shareType: '0', shareWith: 'bob', permissions: '1' });
      await story().link('alice', { path: '/minutes' });
      const alice = await story().signedIn('alice');
      const { page } = alice;
      await alice.choose('minutes', 'Share');
      await page.getByText('Options of the share with Bob Example').click();
      await page.getByText(/^Options of the link/).click();
      const ofBob = page.getByLabel('Ends on, for Bob Example');
      await ofBob.fill('2020-01-01');
      await ofBob.blur();
      await page.getByText('This did not work. (Expiration date is in the past)').waitFor();
      await becomes(ofBob, '');

      await page.route('**/api/v1/shares/*', (route) =>
        route.request().method() === 'PUT' ? route.abort() : route.continue(),
      );
      const permissions = page.getByRole('combobox', { name: 'Permissions of Bob Example' });
      await permissions.selectOption('edit');
      await page.getByText('The server does not answer.', { exact: false }).first().waitFor();
      await becomes(permissions, 'view');
      const mayReshare = page.getByLabel('May share it on');
      await mayReshare.click();
      await eventually('the box is empty again', async () => !(await mayReshare.isChecked()));
      const demand = page.getByLabel('Opens to');
      await demand.selectOption('account');
      await becomes(demand, 'none');
      const ofLink = page.getByLabel('Ends on', { exact: true });
      await ofLink.fill('2099-12-31');
      await becomes(ofLink, '');
    },
  );

  itInFullForm(
    'shows messages in front of the dialog, and keeps undo until it is chosen, also on a telephone',
    async () => {
      await story().put('alice', 'photos');
      await story().share('alice', { path: '/photos', shareType: '0', shareWith: 'bob', permissions: '1' });
      const alice = await story().signedIn('alice', { viewport: { width: 360, height: 700 } });
      const { page } = alice;
      await alice.choose('photos', 'Share');
      await page.clock.install();
      await page.getByRole('button', { name: 'End sharing with Bob Example' }).click();
      await page.getByText('Nobody else can see this.').waitFor();
      expect(await alice.violations()).toEqual([]);
      await page.clock.fastForward(60_000);
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByRole('dialog').getByLabel('Permissions of Bob Example').waitFor();
      await page.getByRole('button', { name: 'End sharing with Bob Example' }).click();
      await page.getByText('Nobody else can see this.').waitFor();
      await page.getByRole('button', { name: 'Close' }).first().click();
      await page.getByText('Bob Example has no access any more.').waitFor();
    },
  );

  it('makes a link for uploads only, and changes what a link allows', async () => {
    await story().put('alice', 'inbox');
    const alice = await story().signedIn('alice');
    const { page } = alice;
    const allows = (permissions: number): Promise<unknown> =>
      eventually(`the link has the permissions ${permissions}`, async () =>
        (await sharesOf('/inbox')).some((share) => share.permissions === permissions),
      );
    await alice.choose('inbox', 'Share');
    await page.getByLabel('Who has the new link').selectOption('can only upload');
    expect(await alice.violations()).toEqual([]);
    await page.getByRole('button', { name: 'New public link' }).click();
    await page.getByText(/^Options of the link/).click();
    await allows(4);
    const choice = page.getByLabel(/^Permissions of the link of \d+ [A-Z]/);
    await choice.selectOption('can change');
    await allows(15);
    await choice.selectOption('can view');
    await allows(1);
    expect(await choice.getByRole('option').allInnerTexts()).toEqual(['can view', 'can change']);
  });

  it('asks for the password of a new link first where passwords are enforced', async () => {
    const key = 'shareapi_enforce_links_password_read_only';
    await story().query(`INSERT INTO setting (app, key, value) VALUES ('core', '${key}', 'yes')`);
    await story().put('alice', 'secrets');
    const people = [await story().signedIn('alice'), await story().open({ locale: 'de-DE' })] as const;
    const [{ page }, german] = people;
    await people[0].choose('secrets', 'Share');
    await page.getByLabel('Password of the new link').fill('a password for guests');
    expect(await people[0].violations()).toEqual([]);
    await page.getByRole('button', { name: 'New public link' }).click();
    await page.getByLabel('Public link', { exact: true }).waitFor();
    await page.getByText(/^Options of the link/).click();
    await page.getByText('It has a password.').waitFor();

    await german.page.goto('/web/files');
    await german.page.getByLabel('Benutzername').fill('alice');
    await german.page.getByLabel('Passwort').fill(PASSWORD);
    await german.page.keyboard.press('Enter');
    await german.choose('secrets', 'Teilen');
    await german.page.getByLabel('Passwort des neuen Links').waitFor();
    await story().query(`DELETE FROM setting WHERE key = '${key}'`);
  });
});
