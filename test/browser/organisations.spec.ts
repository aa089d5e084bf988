import { eventually } from '#testing';
import type { Person } from './browser-stage';
import { BrowserStory, inBrowser } from './browser-story';
import { itInFullForm } from '../../libs/testing/src/full-form';

jest.setTimeout(8 * 60_000);

inBrowser('sharing between two organisations', { alice: 'Alice Example' }, (here) => {
  let there: BrowserStory;
  let alice: Person;
  let bea: Person;

  beforeAll(async () => {
    there = await here().neighbour({ bea: 'Bea <i>Example</i>' });
    await here().put('alice', 'plan.txt', 'the plan of both');
    await here().put('alice', 'draft.txt', 'not wanted');
  });
  afterAll(() => there?.stop());
  beforeEach(async () => {
    alice = await here().signedIn('alice');
    bea = await there.signedIn('bea');
  });
  afterEach(async () => expect(await there.leave()).toEqual([]));

  async function offer(name: string): Promise<void> {
    await alice.goTo('Files');
    await alice.choose(name, 'Share');
    await alice.page
      .getByLabel(/^Share with a person/)
      .fill(`bea@${there.gateway.url.replace('http://', '')}`);
    await alice.page.getByRole('button', { name: /another organisation/ }).click();
    await alice.page.getByLabel(/^Permissions of bea/).waitFor();
    await alice.page.keyboard.press('Escape');
  }

  /** Waits until the row of a share on the owner's page shows this state. */
  async function stateOf(name: string, state: string): Promise<void> {
    await alice.goTo('Shared by me');
    await eventually(`${name} ${state}`, async () => {
      await alice.page.reload();
      const row = alice.page.getByRole('row').filter({ hasText: name });
      await row.waitFor();
      return (await row.getByText(state, { exact: true }).count()) === 1;
    });
  }

  /** Opens a received file. Until its kind is known, a moment after it was accepted, it can only be downloaded. */
  async function openWhenKnown(name: string): Promise<void> {
    const link = bea.page.locator('a:not([download])').filter({ hasText: name });
    await eventually(`the kind of ${name}`, async () => {
      await bea.page.reload();
      await bea.page.getByRole('rowheader', { name }).waitFor();
      return (await link.count()) === 1;
    });
    await link.click();
  }

  it('works from the click of the owner to the file of the recipient', async () => {
    await offer('plan.txt');
    await bea.goTo('From other organisations');
    await bea.page.getByText(/offers you plan\.txt/).waitFor();
    expect(await bea.violations()).toEqual([]);
    await bea.page.getByRole('button', { name: 'Accept' }).click();
    await bea.page.getByText('plan.txt is now among your files.').waitFor();
    await bea.goTo('Files');
    await openWhenKnown('plan.txt');
    await bea.page.frameLocator('iframe').getByText('the plan of both').waitFor();
    await stateOf('plan.txt', 'accepted');
    expect(await alice.violations()).toEqual([]);
    await alice.page.getByRole('button', { name: 'History of plan.txt' }).click();
    const steps = alice.page.getByRole('dialog');
    for (const step of ['shared', 'offer: delivered', 'accepted'])
      await steps.getByRole('cell', { name: step, exact: true }).waitFor();
    expect(await alice.violations()).toEqual([]);
    await alice.page.keyboard.press('Escape');
  });

  itInFullForm('opens a share at the other organisation, in a window of its own', async () => {
    await here().query(
      `INSERT INTO setting (app, key, value) VALUES ('federatedfilesharing', 'outgoing_webapps', 'yes')`,
    );
    await eventually('the setting', async () => {
      const document = await (await fetch(`${here().gateway.url}/.well-known/ocm`)).text();
      return document.includes('"webapp"');
    });
    await here().put('alice', 'report <b>.txt'.replaceAll(' ', '%20'), 'the report');
    const shareWith = `bea@${there.gateway.url.replace('http://', '')}`;
    await here().share('alice', { path: '/report <b>.txt', shareType: '6', shareWith, permissions: '1' });
    await bea.goTo('From other organisations');
    const offered = bea.page.getByRole('listitem').filter({ hasText: 'report <b>.txt' });
    await offered.getByRole('button', { name: 'Accept' }).click();
    const row = bea.page.getByRole('row').filter({ hasText: 'report <b>.txt' });
    const opened = bea.page.context().waitForEvent('page');
    await row.getByRole('link', { name: /^Open at / }).click();
    const page = await opened;
    // The page that leads there has the same heading.
    await page.waitForURL(`${here().gateway.url}/**`);
    await page.getByRole('heading', { name: 'report <b>.txt' }).waitFor();
    await page.getByRole('link', { name: 'Download' }).click();
    await page.frameLocator('iframe').getByText('the report').waitFor();
    expect(await bea.violations()).toEqual([]);
    await page.close();
  });

  it('shows the owner that an offer was declined', async () => {
    await offer('draft.txt');
    await bea.goTo('Notifications');
    await bea.page.getByText(/draft\.txt/).waitFor();
    expect(await bea.violations()).toEqual([]);
    await bea.page.getByRole('button', { name: 'Decline' }).click();
    const asked = bea.page.getByRole('dialog');
    await asked.getByLabel('Words for the owner (optional)').fill('not for <b>us</b>');
    expect(await bea.violations()).toEqual([]);
    await asked.getByRole('button', { name: 'Decline' }).click();
    await bea.page.getByText('There is nothing new.').waitFor();
    await alice.goTo('Notifications');
    await eventually('the owner is told', async () => {
      await alice.page.reload();
      await alice.page.getByRole('heading', { name: 'Notifications', level: 1 }).waitFor();
      return (await alice.page.getByText(/draft\.txt/).count()) > 0;
    });
    await alice.page.getByText(/declined/).waitFor();
    await alice.page.getByText(/not for <b>us<\/b>/).waitFor();
  });

  itInFullForm(
    'lets users report an offer to the operators, and refuses offers from a blocked sender',
    async () => {
      await here().put('alice', 'advert.txt', 'buy');
      await offer('advert.txt');
      await bea.goTo('From other organisations');
      await bea.page.getByText(/offers you advert\.txt/).waitFor();
      const act = async (action: string): Promise<void> => {
        await bea.page.locator('summary').click();
        await bea.page.getByRole('button', { name: action, exact: true }).click();
      };
      await act('Report to the operator');
      await bea.page.getByLabel('What is wrong with it').fill('an advert <b>again</b>');
      expect(await bea.violations()).toEqual([]);
      await bea.page.getByRole('dialog').getByRole('button', { name: 'Report to the operator' }).click();
      await bea.page.getByText('The operator is told.').waitFor();
      await act('Block the sender');
      await bea.page.getByRole('dialog').getByRole('button', { name: 'Block the sender' }).click();
      await bea.page.getByText(/is blocked\.$/).waitFor();
      expect(await bea.violations()).toEqual([]);
      await here().put('alice', 'again.txt', 'buy more');
      await alice.goTo('Files');
      await alice.choose('again.txt', 'Share');
      await alice.page
        .getByLabel(/^Share with a person/)
        .fill(`bea@${there.gateway.url.replace('http://', '')}`);
      await alice.page.getByRole('button', { name: /another organisation/ }).click();
      await alice.page
        .getByRole('status')
        .filter({ hasText: /not allow|may not|403|did not/ })
        .waitFor();
      await bea.page.getByRole('button', { name: /^Unblock/ }).click();
      await bea.page.getByText('Nobody is blocked.').waitFor();
    },
  );

  itInFullForm('lets users choose a group of the other organisation, where a setting allows it', async () => {
    const allow = (key: string) =>
      `INSERT INTO setting (app, key, value) VALUES ('files_sharing', '${key}_server2server_group_share_enabled', 'yes')`;
    await here().query(allow('outgoing'));
    await there.query(allow('incoming'));
    // Until now the other server announced that it takes no shares with groups.
    await here().query(`UPDATE peer SET profile_expires_at = now() - interval '1 second'`);
    await there.group('staff', 'bea');
    await here().put('alice', 'minutes.txt', 'of the meeting');
    const group = `staff@${there.gateway.url.replace('http://', '')}`;
    const chosen = alice.page.getByRole('button', { name: /^staff .*group of another organisation$/ });
    await alice.goTo('Files');
    await alice.choose('minutes.txt', 'Share');
    await eventually('the group is offered', async () => {
      await alice.page.getByLabel(/^Share with a person/).fill('');
      await alice.page.getByLabel(/^Share with a person/).fill(group);
      return chosen.waitFor({ timeout: 30_000 }).then(
        () => true,
        () => false,
      );
    });
    expect(await alice.violations()).toEqual([]);
    await chosen.click();
    await alice.page.getByLabel(/^Permissions of staff/).waitFor();
    const share = alice.page.getByRole('listitem').filter({ hasText: group });
    await share.getByText('group of another organisation', { exact: true }).waitFor();
    await alice.page.keyboard.press('Escape');
    await bea.goTo('From other organisations');
    await bea.page.getByText(/offers you minutes\.txt/).waitFor();
    // The other tests find one recipient for a federated cloud id.
    await here().query(`DELETE FROM setting WHERE key = 'outgoing_server2server_group_share_enabled'`);
  });

  itInFullForm('can also begin with a public link of the other organisation', async () => {
    await here().put('alice', 'linked <b>now<b>.txt'.replaceAll(' ', '%20'), 'linked');
    const path = await here().link('alice', { path: '/linked <b>now<b>.txt' });
    await bea.goTo('From other organisations');
    await bea.page.getByLabel('Address of the link').fill(`${here().gateway.url}${path}`);
    await bea.page.getByRole('button', { name: 'Put it among my files' }).click();
    await bea.page.getByRole('rowheader', { name: 'linked <b>now<b>.txt' }).waitFor();
    expect(await bea.violations()).toEqual([]);
  });

  itInFullForm(
    'shows users their files that wait for the other organisation, until they give them up',
    async () => {
      await here().put('alice', 'both.txt', 'of alice');
      const shareWith = `bea@${there.gateway.url.replace('http://', '')}`;
      await here().share('alice', { path: '/both.txt', shareType: '6', shareWith, permissions: '3' });
      const { page } = bea;
      await bea.goTo('From other organisations');
      await page
        .getByRole('listitem')
        .filter({ hasText: 'both.txt' })
        .getByRole('button', { name: 'Accept' })
        .click();
      await page.getByText('both.txt is now among your files.').waitFor();
      const words = '<img src="x" onerror="document.title=1">';
      // Every write waits for a day here, unless a user requests an attempt.
      await there.query(
        `INSERT INTO setting (app, key, value) VALUES ('files', 'partner_writes_at_once_megabytes', '0')`,
      );
      await there.query(`CREATE FUNCTION wait_a_day() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      NEW.due_at := now() + interval '1 day'; NEW.share_name := 'a <b>file<b>.txt'; NEW.last_error := '${words}'; RETURN NEW; END $$`);
      await there.query(
        'CREATE TRIGGER wait_a_day BEFORE INSERT ON stored_write FOR EACH ROW EXECUTE FUNCTION wait_a_day()',
      );
      await there.put('bea', 'both.txt', 'of bea');
      const row = page.getByRole('row').filter({ hasText: '/both.txt' });
      await row.getByText('a <b>file<b>.txt at').waitFor();
      await row.getByText('waits; next attempt', { exact: false }).waitFor();
      expect(await bea.violations()).toEqual([]);
      await row.getByRole('button', { name: 'Try now' }).click();
      await row.waitFor({ state: 'detached' });
      await there.put('bea', 'both.txt', 'of bea again');
      await row.getByRole('button', { name: 'Give up' }).click();
      await page.getByText('It becomes a file among your own files', { exact: false }).waitFor();
      expect(await bea.violations()).toEqual([]);
      await page.getByRole('dialog').getByRole('button', { name: 'Give up', exact: true }).click();
      await page
        .getByRole('heading', { name: 'Waiting for other organisations' })
        .waitFor({ state: 'detached' });
      await bea.goTo('Notifications');
      await page.getByText('It was given up here.', { exact: false }).waitFor();
      await bea.goTo('Files');
      await page.getByRole('link', { name: 'a <b>file<b>.txt' }).waitFor();
      expect(await page.locator('img[src="x"], main b').count()).toBe(0);
    },
  );

  it('begins with an invitation, after which both users are contacts', async () => {
    await alice.goTo('Contacts');
    await alice.page.getByLabel('For whom').fill('Bea');
    await alice.page.getByRole('button', { name: 'Make an invitation' }).click();
    const invitation = await alice.page.getByLabel('Or this').inputValue();
    expect(await alice.violations()).toEqual([]);
    await bea.goTo('Contacts');
    await bea.page.getByLabel('Text of the invitation').fill(invitation);
    await bea.page.getByRole('button', { name: 'Accept' }).click();
    await bea.page.getByRole('rowheader', { name: 'Alice Example' }).waitFor();
    await alice.page.reload();
    await alice.page.getByRole('rowheader', { name: 'Bea <i>Example</i>' }).waitFor();
    expect(await alice.violations()).toEqual([]);
  });

  itInFullForm('continues after the owner undoes its end', async () => {
    await here().put('alice', 'kept.txt', 'shared again');
    await offer('kept.txt');
    await alice.choose('kept.txt', 'Share');
    await alice.page.getByRole('button', { name: /^End sharing with bea/ }).click();
    await alice.page.getByText('Nobody else can see this.').waitFor();
    await alice.page.keyboard.press('Escape');
    await alice.page.getByRole('button', { name: 'Undo' }).click();
    await alice.choose('kept.txt', 'Share');
    await alice.page.getByLabel(/^Permissions of bea/).waitFor();
  });
});
