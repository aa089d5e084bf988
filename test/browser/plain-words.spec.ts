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
});
