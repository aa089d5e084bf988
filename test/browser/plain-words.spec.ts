import { inBrowser, PASSWORD } from './browser-story';

inBrowser('the pages', { alice: 'Alice' }, (story) => {
  it.each([
    ['en-GB', '9 bytes', /^\d{1,2} [A-Z][a-z]+ \d{4}, \d\d:\d\d$/],
    ['en-US', '9 bytes', /^[A-Z][a-z]+ \d{1,2}, \d{4}, \d{1,2}:\d\d\s[AP]M$/],
    ['de-AT', '9 Byte', /^\d\d\.\d\d\.\d{4}, \d\d:\d\d$/],
  ])('write sizes and times as people write them: %s', async (locale, size, time) => {
    await story().put('alice', 'letter.txt', 'dear all\n');
    const { page } = await story().open({ locale });
    await page.goto('/');
    await page.locator('input[name=user]').fill('alice');
    await page.locator('input[name=password]').fill(PASSWORD);
    await page.keyboard.press('Enter');
    const cells = page.getByRole('row').filter({ hasText: 'letter.txt' }).getByRole('cell');
    expect(await cells.nth(1).innerText()).toBe(size);
    expect(await cells.nth(2).innerText()).toMatch(time);
  });

  it.each([
    ['en-GB', 'Firefox on Linux'],
    ['de-DE', 'Firefox unter Linux'],
  ])('name the browsers in which somebody is signed in: %s', async (locale, name) => {
    const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
    const { page } = await story().open({ locale, userAgent });
    await page.goto('/');
    await page.locator('input[name=user]').fill('alice');
    await page.locator('input[name=password]').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.locator('h1').waitFor();
    await page.goto('/web/settings');
    const header = page.getByRole('rowheader', { name, exact: true }).first();
    await header.waitFor();
    expect(await header.getAttribute('title')).toBe(userAgent);
  });

  it('name the folder of a deleted file', async () => {
    await story().put('alice', 'Plans');
    await story().put('alice', 'Plans/old.txt', 'old');
    await story().put('alice', 'top.txt', 'top');
    const { page, ...alice } = await story().signedIn('alice');
    await page.goto('/web/files/Plans');
    for (const [folder, name] of [
      ['Plans', 'old.txt'],
      ['', 'top.txt'],
    ]) {
      await page.goto(`/web/files/${folder}`);
      const row = page.getByRole('row').filter({ hasText: name });
      await row.locator('summary').click();
      await row.getByText('Delete', { exact: true }).click();
      await page.getByText(`${name} was deleted.`).waitFor();
    }
    await page.goto('/web/trash');
    const placeOf = (name: string) =>
      page.getByRole('row').filter({ hasText: name }).getByRole('cell').first();
    expect(await placeOf('old.txt').innerText()).toBe('Plans');
    expect(await placeOf('top.txt').innerText()).toBe('All files');
    expect(alice.complaints).toEqual([]);
  });

  it('say in the list of all events that another server refused a share', async () => {
    const there = await story().neighbour({});
    const shareWith = `nobody@${there.gateway.url.replace('http://', '')}`;
    await story().put('alice', 'plan.txt', 'plan');
    await story().share('alice', { path: '/plan.txt', shareType: '6', shareWith });
    await there.stop();
    const { page } = await story().signedIn('alice');
    await page.goto('/web/activity');
    await page.getByText('refused by the other server', { exact: true }).waitFor();
  });

  it('fit on a narrow telephone in German, also the options of a link', async () => {
    await story().put('alice', 'narrow.txt', 'narrow');
    await story().link('alice', { path: '/narrow.txt' });
    const person = await story().open({ locale: 'de-DE', viewport: { width: 360, height: 740 } });
    const { page } = person;
    await page.goto('/');
    await page.locator('input[name=user]').fill('alice');
    await page.locator('input[name=password]').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await person.choose('narrow.txt', 'Teilen');
    await page.getByText(/^Optionen des Links vom \d+\.\d+\.\d{4}, \d+:\d\d$/).click();
    await page.getByLabel('Öffnet sich für').waitFor();
    const fits =
      "document.querySelector('dialog').scrollWidth <= document.querySelector('dialog').clientWidth";
    expect(await page.evaluate<boolean>(fits)).toBe(true);
    expect(await person.overflows()).toBe(false);
  });
});
