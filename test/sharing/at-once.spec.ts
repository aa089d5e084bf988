import { eventually } from '../../libs/testing/src/waiting';
import { SharingGateway, type Answer, type Form } from './sharing-gateway';

/** Number of replies for each code. */
function tally(answers: readonly Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { code } of answers) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}

/** Replies with an error of the server. */
const broken = (answers: readonly Answer[]): Answer[] => answers.filter(({ http }) => http >= 500);
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

describe('simultaneous calls', () => {
  let people: SharingGateway;
  beforeAll(async () => {
    people = await SharingGateway.start({ compatibility: 'owncloud10', env: { FEDERATION_SYNC_WAIT: '0s' } });
    await people.addUsers('alice', 'bob', 'carol', 'dave', 'erin');
    await people.addGroup('team', 'bob', 'carol', 'dave');
  });
  afterAll(() => people.stop());
  afterEach(async () => expect(await people.halfStates()).toEqual([]));

  it.each([
    ['user', { shareType: '0', shareWith: 'bob' }, 'Path already shared with this user'],
    ['group', { shareType: '1', shareWith: 'team' }, 'Path already shared with this group'],
  ])('two hundred simultaneous calls for one %s share make one share', async (kind, form, message) => {
    const path = `/created-${kind}.txt`;
    await people.store('alice', path);
    const answers = await Promise.all(times(200, () => people.share('alice', { path, ...form })));
    expect(tally(answers)).toEqual({ 200: 1, 403: 199 });
    expect(new Set(answers.filter(({ code }) => code === 403).map((answer) => answer.message))).toEqual(
      new Set([message]),
    );
    expect(await people.list('alice', `path=${path}`)).toHaveLength(1);
  });

  it('two hundred simultaneous calls for a link make two hundred links', async () => {
    await people.store('alice', '/linked.txt');
    const answers = await Promise.all(
      times(200, () => people.share('alice', { path: '/linked.txt', shareType: '3' })),
    );
    expect(tally(answers)).toEqual({ 200: 200 });
    expect(new Set(answers.map(({ data }) => (data as { token: string }).token)).size).toBe(200);
  });

  it('accepting, declining and deleting one share leaves it complete or gone', async () => {
    for (let round = 0; round < 10; round++) {
      await people.store('alice', `/decided-${round}.txt`);
      const id = await people.shareId('alice', {
        path: `/decided-${round}.txt`,
        shareType: '1',
        shareWith: 'team',
      });
      const answers = await Promise.all([
        ...times(6, (index) =>
          people.shares(
            index % 2 ? 'POST' : 'DELETE',
            `/pending/${id}`,
            ['bob', 'carol', 'dave'][index % 3]!,
          ),
        ),
        people.shares('DELETE', `/${id}`, 'alice'),
        ...times(6, (index) =>
          people.shares(
            index % 2 ? 'DELETE' : 'POST',
            `/pending/${id}`,
            ['bob', 'carol', 'dave'][index % 3]!,
          ),
        ),
      ]);
      expect(broken(answers)).toEqual([]);
      expect((await people.shares('GET', `/${id}`, 'alice')).code).toBe(404);
      for (const uid of ['bob', 'carol', 'dave'])
        expect((await people.received(uid)).filter((share) => share.id === id)).toEqual([]);
    }
  });

  it('updates of one link run one after the other', async () => {
    await people.store('alice', '/updated/');
    const id = await people.shareId('alice', { path: '/updated', shareType: '3', password: 'the first one' });
    const changes: Form[] = [
      { permissions: '15' },
      { permissions: '1' },
      { name: 'a' },
      { name: '' },
      { password: 'the second one' },
      { expireDate: '2099-01-01' },
    ];
    const answers = await Promise.all(
      times(60, (index) => people.shares('PUT', `/${id}`, 'alice', changes[index % 6])),
    );
    expect(tally(answers)).toEqual({ 200: 60 });
    const [record] = await people.list('alice', 'path=/updated');
    expect(record).toMatchObject({ id, expiration: '2099-01-01 00:00:00', share_with: '***redacted***' });
    expect([1, 15]).toContain(record?.permissions);
  });

  it('updates of reshares by recipients of the file do not wait for each other’s connections', async () => {
    await people.store('alice', '/passed-on/');
    await people.shareId('alice', { path: '/passed-on', shareWith: 'bob' });
    const id = await people.shareId('bob', { path: '/passed-on', shareWith: 'erin', permissions: '1' });
    const answers = await Promise.all(
      times(60, (index) => people.shares('PUT', `/${id}`, 'bob', { permissions: index % 2 ? '17' : '1' })),
    );
    expect(tally(answers)).toEqual({ 200: 60 });
  });

  it('updates during a delete succeed or find no share', async () => {
    await people.store('alice', '/vanishing.txt');
    const id = await people.shareId('alice', { path: '/vanishing.txt', shareType: '3' });
    const update = () => people.shares('PUT', `/${id}`, 'alice', { name: 'n' });
    const answers = await Promise.all([
      ...times(10, update),
      people.shares('DELETE', `/${id}`, 'alice'),
      ...times(10, update),
    ]);
    expect(Object.keys(tally(answers)).every((code) => ['200', '404'].includes(code))).toBe(true);
    expect((await people.shares('GET', `/${id}`, 'alice')).code).toBe(404);
  });

  it('the removal of a node leaves no share, even during creates and updates of shares', async () => {
    for (let round = 0; round < 8; round++) {
      const path = `/removed-${round}`;
      await people.store('alice', `${path}/`);
      const id = await people.shareId('alice', { path, shareType: '1', shareWith: 'team' });
      const [status, ...answers] = await Promise.all([
        people.dav('DELETE', 'alice', path),
        ...times(4, (index) =>
          people.share('alice', { path, shareWith: ['bob', 'carol', 'dave', 'erin'][index]! }),
        ),
        ...times(3, () => people.share('alice', { path, shareType: '3' })),
        people.shares('PUT', `/${id}`, 'alice', { permissions: '1' }),
        people.shares('POST', `/pending/${id}`, 'bob'),
        people.shares('GET', '?shared_with_me=true&state=all', 'carol'),
      ]);
      expect(status).toBe(204);
      expect(broken(answers)).toEqual([]);
      expect(await people.halfStates()).toEqual([]);
      expect(
        (await people.list('alice', 'share_types=0,1,3')).filter((share) => share.path === path),
      ).toEqual([]);
    }
  });

  it('the removal of a group during new shares with it leaves no share, not even for a later group of the same name', async () => {
    await people.store('alice', '/for-groups/');
    for (let round = 0; round < 8; round++) {
      await people.addGroup('passing', 'bob', 'carol');
      await people.store('alice', `/for-groups/${round}.txt`);
      const form = { path: `/for-groups/${round}.txt`, shareType: '1', shareWith: 'passing' };
      const answers = await Promise.all([
        people.share('alice', { ...form, path: '/for-groups' }),
        people.removeGroup('passing').then(() => people.shares('GET', '', 'alice')),
        people.share('alice', form),
        people.shares('GET', '?shared_with_me=true&state=all', 'bob'),
      ]);
      expect(broken(answers)).toEqual([]);
      expect(await people.halfStates()).toEqual([]);
      expect(await people.list('alice', 'path=/for-groups&share_types=1')).toEqual([]);
    }
  });

  it('changes of memberships during decisions of members about shares leave no row behind', async () => {
    await people.store('alice', '/for-members.txt');
    await people.addGroup('moving', 'bob', 'erin');
    const id = await people.shareId('alice', {
      path: '/for-members.txt',
      shareType: '1',
      shareWith: 'moving',
    });
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all([
        people.leave('moving', 'erin').then(() => people.shares('GET', '', 'erin')),
        people.shares('POST', `/pending/${id}`, 'erin'),
        people.shares('DELETE', `/pending/${id}`, 'erin'),
        people.shares('GET', '?shared_with_me=true&state=all', 'erin'),
        people.shares('POST', `/pending/${id}`, 'bob'),
      ]);
      expect(broken(answers)).toEqual([]);
      expect(await people.halfStates()).toEqual([]);
      expect((await people.received('erin')).filter((share) => share.id === id)).toEqual([]);
      await people.join('moving', 'erin');
    }
  });

  it('an account that is removed during new shares by it and with it disappears everywhere', async () => {
    for (let round = 0; round < 5; round++) {
      await people.addUsers('passer');
      await people.store('passer', '/own.txt');
      await people.store('alice', `/with-passer-${round}.txt`);
      const made = { path: `/with-passer-${round}.txt`, shareWith: 'passer' };
      const answers = await Promise.all([
        people.share('passer', { path: '/own.txt', shareWith: 'bob' }),
        people.share('alice', made),
        people.removeUser('passer').then(() => people.shares('GET', '', 'alice')),
        people.share('passer', { path: '/own.txt', shareType: '3' }),
        people.share('alice', made),
      ]);
      expect(broken(answers)).toEqual([]);
      expect(await people.halfStates()).toEqual([]);
      expect((await people.list('alice')).filter((share) => share.share_with === 'passer')).toEqual([]);
      expect((await people.received('bob')).filter((share) => share.uid_owner === 'passer')).toEqual([]);
    }
  });

  it('an account that is removed during new shares with other instances leaves no share and no offer there', async () => {
    for (let round = 0; round < 5; round++) {
      await people.addUsers('passer');
      await people.store('passer', '/own.txt');
      const offer = (index: number) =>
        people.share('passer', { path: '/own.txt', shareType: '6', shareWith: `bea${index}@127.0.0.1:9` });
      const answers = await Promise.all([
        ...times(4, offer),
        people.removeUser('passer').then(() => people.shares('GET', '', 'alice')),
        ...times(4, (index) => offer(4 + index)),
      ]);
      expect(broken(answers)).toEqual([]);
      expect(await people.halfStates()).toEqual([]);
      const left = `SELECT s.id FROM share s WHERE s.share_type = 6
        UNION ALL SELECT m.id FROM outbox_message m WHERE m.kind = 'share-create' AND m.state IN ('pending', 'queued')`;
      await eventually('no share and no offer', async () => (await people.query(left)).length === 0);
    }
  });
});
