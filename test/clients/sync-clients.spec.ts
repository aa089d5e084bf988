import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '#testing';
import { AMONG_FAKES } from '../federation/outgoing-world';
import { SharingWorld } from '../api/sharing-world';
import { ClientWorld } from './client-world';
import { NAMES } from './names';
import { describeWith } from './programs';
import { SyncDevice } from './sync-device';

const REMOTE_SHARES = '/apps/files_sharing/api/v1/remote_shares/pending';

let world: ClientWorld;
let partner: SharingWorld;
/** Both belong to the same user: one runs ownCloud's client, the other Nextcloud's. */
let owncloud: SyncDevice;
let nextcloud: SyncDevice;

describeWith(['owncloudcmd', 'nextcloudcmd'], 'the sync clients of ownCloud and Nextcloud', () => {
  beforeAll(async () => {
    [world, partner] = await Promise.all([
      ClientWorld.start(AMONG_FAKES),
      SharingWorld.start({ compatibility: 'owncloud10', env: AMONG_FAKES }),
    ]);
    for (const uid of ['alice', 'brian']) await world.sharing.addUser(uid);
    await partner.addUser('rita');
    owncloud = SyncDevice.in(world, 'owncloudcmd');
    nextcloud = SyncDevice.in(world, 'nextcloudcmd');
  }, 300_000);
  afterAll(async () => {
    await Promise.all([world?.stop(), partner?.stop()]);
  });

  it('sync names in many scripts from one device to the other, and then transfer nothing more', async () => {
    mkdirSync(join(owncloud.folder, 'names'));
    for (const name of NAMES) owncloud.write(`names/${name}`, `content of ${name}`);
    await owncloud.sync();
    const expected = [...NAMES].sort();
    expect(await world.names('alice', '/names')).toEqual(expected);
    await nextcloud.sync();
    expect(nextcloud.listed('names')).toEqual(expected);
    for (const name of NAMES) expect(nextcloud.read(`names/${name}`)).toBe(`content of ${name}`);
    expect(await world.transfersOf(() => owncloud.sync())).toEqual([]);
    expect(await world.transfersOf(() => nextcloud.sync())).toEqual([]);
  });

  it.each([
    ['ownCloud’s', 'Nextcloud’s', () => [owncloud, nextcloud] as const],
    ['Nextcloud’s', 'ownCloud’s', () => [nextcloud, owncloud] as const],
  ])('transfer changes, renames and deletions from %s device to %s', async (_from, _to, devices) => {
    const [here, there] = devices();
    mkdirSync(join(here.folder, 'tree/below'), { recursive: true });
    for (const name of ['changes.txt', 'renamed.txt', 'below/deleted.txt', 'below/moved.txt'])
      here.write(`tree/${name}`, `first ${name}`);
    await here.sync();
    await there.sync();
    here.write('tree/changes.txt', 'second, which is longer');
    renameSync(join(here.folder, 'tree/renamed.txt'), join(here.folder, 'tree/größer.txt'));
    renameSync(join(here.folder, 'tree/below/moved.txt'), join(here.folder, 'tree/moved.txt'));
    rmSync(join(here.folder, 'tree/below/deleted.txt'));
    const sent = await world.transfersOf(() => here.sync());
    expect(sent.filter((request) => !request.includes('/tree/changes.txt'))).toEqual([]);
    await there.sync();
    expect(there.listed('tree')).toEqual(['below', 'changes.txt', 'größer.txt', 'moved.txt']);
    expect(there.listed('tree/below')).toEqual([]);
    expect(there.read('tree/changes.txt')).toBe('second, which is longer');
    expect(there.read('tree/größer.txt')).toBe('first renamed.txt');
    rmSync(join(here.folder, 'tree'), { recursive: true });
    await here.sync();
    await there.sync();
    expect(there.listed()).not.toContain('tree');
  });

  it('keep both texts if both devices changed a file', async () => {
    owncloud.write('both.txt', 'the beginning');
    await owncloud.sync();
    await nextcloud.sync();
    owncloud.write('both.txt', 'by the one device');
    nextcloud.write('both.txt', 'by the other device, which is later');
    await owncloud.sync();
    await nextcloud.sync();
    expect(await world.text('alice', '/both.txt')).toBe('by the one device');
    const kept = nextcloud.listed().filter((name) => name.startsWith('both'));
    expect(kept).toHaveLength(2);
    expect(kept.map((name) => nextcloud.read(name)).sort()).toEqual([
      'by the one device',
      'by the other device, which is later',
    ]);
  });

  it('sync other people’s shares, from here and from another instance, both ways', async () => {
    await world.sharing.makeFolder('brian', '/of brian');
    await world.dav('brian', 'PUT', '/of brian/plan.txt', { body: 'by brian' });
    await world.sharing.share('brian', { path: '/of brian', shareType: '0', shareWith: 'alice' });
    await partner.makeFolder('rita', '/of rita');
    await partner.put('rita', '/of rita/far.txt');
    const host = new URL(world.url).host;
    await partner.share('rita', { path: '/of rita', shareType: '6', shareWith: `alice@${host}` });
    // On a busy machine the offer arrives after the answer to its owner.
    const offered = await eventually('the offer of the other instance', async () => {
      const { data } = await world.sharing.must('GET', REMOTE_SHARES, { as: 'alice' });
      return (data as { id: unknown }[])[0];
    });
    await world.sharing.must('POST', `${REMOTE_SHARES}/${String(offered.id)}`, { as: 'alice' });
    for (const each of [owncloud, nextcloud]) await each.sync();
    for (const each of [owncloud, nextcloud]) {
      expect(each.read('of brian/plan.txt')).toBe('by brian');
      expect(each.read('of rita/far.txt')).toBe('content');
    }
    await partner.put('rita', '/of rita/later.txt');
    await eventually('a later change of the other instance at both devices', async () => {
      for (const each of [owncloud, nextcloud]) await each.sync();
      return [owncloud, nextcloud].every((each) => each.listed('of rita').includes('later.txt'));
    });
    owncloud.write('of brian/by alice.txt', 'from a device');
    owncloud.write('of rita/by alice.txt', 'from afar');
    await owncloud.sync();
    await nextcloud.sync();
    expect(await world.text('brian', '/of brian/by alice.txt')).toBe('from a device');
    expect(nextcloud.read('of rita/by alice.txt')).toBe('from afar');
    for (const each of [owncloud, nextcloud]) expect(await world.transfersOf(() => each.sync())).toEqual([]);
  });
});
