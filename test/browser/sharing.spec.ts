import { basicAuth, eventually } from '#testing';
import { inBrowser, PASSWORD } from './browser-story';

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
    const address = `${story().gateway.url}/ocs/v2.php/apps/files_sharing/api/v1/shares?${query}`;
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
});
