import { SharingGateway } from './sharing-gateway';

let people: SharingGateway;

beforeAll(async () => {
  people = await SharingGateway.start();
  await people.addUsers('alice', 'bob', 'carol');
  await people.set('system/share_folder', '/From others/Shares');
  await people.store('alice', '/plans/');
  await people.shareId('alice', { path: '/plans', shareWith: 'bob' });
  await people.entries('bob');
});
afterAll(() => people.stop());

/** Sends the newest deleted entry of a user to another place. @returns the status */
async function restore(uid: string, headers: Record<string, string>): Promise<number> {
  const [entry] = await people.query<{ id: string }>(
    'SELECT node_id AS id FROM trashed_node WHERE owner_uid = $1 ORDER BY deleted_at DESC, node_id DESC LIMIT 1',
    [uid],
  );
  const reply = await fetch(new URL(`/remote.php/dav/trash-bin/${uid}/${entry!.id}`, people.davUrl('/')), {
    method: 'MOVE',
    headers: { authorization: people.authorizationOf(uid), ...headers },
  });
  await reply.text();
  return reply.status;
}

const FOLDERS = ['/From others', '/From others/Shares'];

describe('the default folder for received shares', () => {
  it.each(FOLDERS)('cannot be removed: DELETE %s', async (folder) => {
    expect(await people.dav('DELETE', 'bob', folder)).toBe(403);
    expect(await people.entries('bob', '/From others/Shares')).toEqual(['/From others/Shares/plans']);
  });

  it.each(FOLDERS)('cannot be replaced by another entry: %s', async (folder) => {
    await people.store('bob', '/empty/', '/deleted');
    expect(await people.dav('DELETE', 'bob', '/deleted')).toBe(204);
    const over = { destination: people.davUrl(folder), overwrite: 'T' };
    for (const method of ['COPY', 'MOVE'])
      expect([method, await people.dav(method, 'bob', '/empty', over)]).toEqual([method, 403]);
    expect(await restore('bob', over)).toBe(403);
    expect(await people.entries('bob', '/From others/Shares')).toEqual(['/From others/Shares/plans']);
    expect(await people.dav('DELETE', 'bob', '/empty')).toBe(204);
  });

  it.each(FOLDERS)('cannot be shared while it contains received shares: %s', async (path) => {
    const { code, message } = await people.share('bob', { path, shareWith: 'carol' });
    expect([code, message]).toEqual([403, 'Path contains files shared with you']);
  });

  it.each(FOLDERS)('cannot be shared when it is empty: %s', async (path) => {
    expect(await people.dav('DELETE', 'bob', '/From others/Shares/plans')).toBe(204);
    for (const [key, value] of [
      ['shareWith', 'carol'],
      ['shareType', '3'],
    ] as const) {
      const { code, message } = await people.share('bob', { path, [key]: value });
      expect([code, message]).toEqual([404, `You are not allowed to share /bob/files${path}`]);
    }
    const [received] = await people.received('bob');
    expect((await people.shares('POST', `/pending/${received!.id}`, 'bob')).code).toBe(200);
  });

  it('does not prevent the removal and sharing of other folders', async () => {
    await people.store('bob', '/From others/own/', '/From others too/');
    await people.shareId('bob', { path: '/From others/own', shareWith: 'carol' });
    expect(await people.dav('DELETE', 'bob', '/From others/own')).toBe(204);
    expect(await people.dav('DELETE', 'bob', '/From others too')).toBe(204);
  });

  it('is a normal folder if the setting is empty', async () => {
    await people.unset('system/share_folder');
    expect(await people.dav('DELETE', 'bob', '/From others')).toBe(204);
  });
});
