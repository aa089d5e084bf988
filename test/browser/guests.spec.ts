import { basicAuth } from '#testing';
import { inBrowser, MARKUP, PASSWORD } from './browser-story';
import { itInFullForm } from '../../libs/testing/src/full-form';

/** An image of one pixel. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** A page with a sentence. */
const PDF = `%PDF-1.4
1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj
3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 300 100]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>> endobj
4 0 obj <</Length 47>> stream
BT /F 18 Tf 20 40 Td (Hello of the specs) Tj ET
endstream endobj
5 0 obj <</Type/Font/Subtype/Type1/BaseFont/Helvetica>> endobj
trailer <</Root 1 0 R>>
%%EOF`;

inBrowser('the pages of public links', { alice: 'Alice <b>Example</b>' }, (story) => {
  let folder: string;

  beforeAll(async () => {
    await story().put('alice', 'shared');
    await story().put('alice', 'shared/inner');
    await story().put('alice', 'shared/inner/deep.txt', 'deep');
    await story().put('alice', `shared/${encodeURIComponent(MARKUP)}`, 'x'.repeat(1500));
    await story().put('alice', 'shared/picture.png', PICTURE);
    folder = await story().link('alice', { path: '/shared', expireDate: '2099-12-31' });
  });

  it('list a folder with sizes and dates, as rows and as tiles, and download the chosen entries', async () => {
    const guest = await story().open();
    const { page } = guest;
    await page.goto(folder);
    await page.getByRole('rowheader', { name: MARKUP }).waitFor();
    await page.getByText('Shared by Alice <b>Example</b> · Ends after December 31, 2099').waitFor();
    await page.getByRole('button', { name: 'Download all as ZIP (1.6 kB)' }).waitFor();
    expect(await guest.violations()).toEqual([]);
    await page.getByLabel('Choose inner').check();
    await page.getByLabel('Choose picture.png').check();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: /^Download what is chosen as ZIP \(2/ }).click();
    expect((await download).suggestedFilename()).toBe('shared.zip');
    await page.getByRole('link', { name: 'Show as tiles' }).click();
    await page.locator('.tiles img').first().waitFor();
    expect(await guest.violations()).toEqual([]);
    await page.getByRole('link', { name: 'inner/' }).click();
    await page.getByRole('link', { name: 'deep.txt' }).waitFor();
    await page.getByRole('link', { name: 'One folder up' }).click();
    await page.locator('.tiles').waitFor();
  });

  it('ask for a password in German on a telephone, without scripts, and show when a link has ended', async () => {
    const locked = await story().link('alice', { path: '/shared', password: 'lock-1-of-the-specs' });
    const guest = await story().open({
      locale: 'de-DE',
      colorScheme: 'dark',
      viewport: { width: 390, height: 800 },
    });
    const { page } = guest;
    await page.goto(locked);
    await page.getByLabel('Passwort').fill('wrong');
    await page.getByRole('button', { name: 'Öffnen' }).click();
    await page.getByRole('alert').waitFor();
    expect(await guest.violations()).toEqual([]);
    await page.getByLabel('Passwort').fill('lock-1-of-the-specs');
    await page.getByRole('button', { name: 'Öffnen' }).click();
    await page.getByRole('link', { name: 'inner/' }).click();
    await page.getByRole('heading', { name: 'inner', level: 1 }).waitFor();
    expect(await guest.overflows()).toBe(false);
    expect(await guest.violations()).toEqual([]);
    await page.goto('/s/noSuchLinkAtAll0');
    await page.getByRole('heading', { name: 'Hier ist nichts' }).waitFor();
    expect(await guest.violations()).toEqual([]);
  });

  it('accept files in a drop folder by choice and by drag and drop, and show visitors only their own', async () => {
    await story().put('alice', 'drop');
    await story().put('alice', 'drop/secret.txt', 'of another visitor');
    const drop = await story().link('alice', { path: '/drop', permissions: '4' });
    const guest = await story().open();
    const { page } = guest;
    await page.goto(drop);
    await page
      .locator('input[type=file]:not([webkitdirectory])')
      .setInputFiles({ name: MARKUP, mimeType: 'text/plain', buffer: Buffer.from('chosen') });
    await page.getByText('done', { exact: false }).waitFor();
    await page.evaluate(`{
      const data = new DataTransfer();
      data.items.add(new File(['dropped'], 'dropped.txt'));
      dispatchEvent(new DragEvent('drop', { dataTransfer: data, cancelable: true }));
    }`);
    const own = page.getByRole('listitem').filter({ hasText: 'dropped.txt, 7' });
    await own.waitFor();
    expect(await page.getByText('secret.txt').count()).toBe(0);
    expect(await guest.violations()).toEqual([]);
    await page.reload();
    await own.waitFor();
    const other = await story().open({ javaScriptEnabled: false });
    await other.page.goto(drop);
    expect(await other.page.getByText('dropped.txt').count()).toBe(0);
    await other.page
      .getByLabel('Files', { exact: true })
      .setInputFiles({ name: 'plain.txt', mimeType: 'text/plain', buffer: Buffer.from('x') });
    await other.page.getByRole('button', { name: 'Upload', exact: true }).click();
    await other.page.getByText('You have uploaded').waitFor();
  });

  itInFullForm.each([
    ['when files are chosen', false],
    ['during an upload', true],
  ])('ask for the password again if the signature of the page is refused %s', async (_when, isLate) => {
    const password = 'lock-2-of-the-specs';
    const locked = await story().link('alice', { path: '/shared', permissions: '15', password });
    const guest = await story().open();
    const { page } = guest;
    await page.goto(locked);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByRole('button', { name: 'Upload', exact: true }).waitFor();
    const [{ id }] = (await story().query('SELECT max(id) AS id FROM share')) as [{ id: string }];
    const changed = await fetch(`${story().gateway.url}/ocs/v2.php/apps/files_sharing/api/v1/shares/${id}`, {
      method: 'PUT',
      headers: { authorization: basicAuth('alice', PASSWORD) },
      body: new URLSearchParams({ password: 'lock-3-of-the-specs' }),
    });
    expect(changed.status).toBe(200);
    if (isLate)
      await page.route('**/remote.php/dav/**', (route) =>
        route.request().method() === 'HEAD' ? route.fulfill({ status: 200 }) : route.continue(),
      );
    const file = { name: 'late.txt', mimeType: 'text/plain', buffer: Buffer.from('late') };
    await page.locator('input[type=file]:not([webkitdirectory])').setInputFiles(file);
    await page.getByRole('alert').getByRole('button', { name: 'Open the page again' }).waitFor();
    expect(await page.getByRole('rowheader', { name: 'late.txt' }).count()).toBe(0);
    expect(await guest.violations()).toEqual([]);
  });

  it('show pictures, texts, Markdown and PDF in frames without an origin', async () => {
    const script = '<script>parent.document.title = "taken"</script>';
    await story().put('alice', 'shown');
    await story().put('alice', 'shown/a.md', `# Plan\n\n${script}\n\n[link](javascript:alert(1))`);
    await story().put('alice', 'shown/b.html', script);
    await story().put('alice', 'shown/c.pdf', PDF);
    await story().put('alice', 'shown/d.png', PICTURE);
    const shown = await story().link('alice', { path: '/shown' });
    const guest = await story().open();
    const { page } = guest;
    await page.goto(shown);
    const frame = page.frameLocator('iframe');
    const view = async (name: string): Promise<void> => {
      await page.getByRole('link', { name }).click();
      await page.locator('iframe[data-state=shown]').waitFor();
      expect(await guest.violations()).toEqual([]);
    };
    await view('a.md');
    await frame.getByRole('heading', { name: 'Plan' }).waitFor();
    expect(await page.frames().at(-1)!.evaluate<string>('self.origin')).toBe('null');
    await page.keyboard.press('Escape');
    await view('b.html');
    await frame.getByText('parent.document.title').waitFor();
    await page.keyboard.press('Escape');
    await view('c.pdf');
    await frame.getByRole('img', { name: 'Hello of the specs' }).waitFor();
    await page.keyboard.press('Escape');
    await view('d.png');
    await frame.getByRole('img', { name: 'd.png' }).waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    expect(await page.title()).toContain('shown');
  });
});
