import { InMemoryReceivedShares } from '../../../testing/src/fakes/in-memory-received-shares';
import {
  acceptReceivedShare,
  declineReceivedShare,
  leaveReceivedShare,
  listAcceptedShares,
  listAllReceivedShares,
  listPendingShares,
  readReceivedShare,
  type ReceivedShareView,
} from './received-shares';

let world: InMemoryReceivedShares;
beforeEach(() => {
  world = new InMemoryReceivedShares();
  world.add(1, 'bob', 'one');
  world.add(2, 'bob', 'two');
  world.add(3, 'bob', 'two');
  world.add(4, 'carol', 'four');
});

const shown = (views: readonly ReceivedShareView[]): string[] =>
  views.map(({ share, mountPoint }) => `${share.id} ${mountPoint}`);

describe('lists of received shares', () => {
  it('show pending shares with placeholders of mount points', async () => {
    expect(shown(await listPendingShares(world, 'bob'))).toEqual([
      '1 {{TemporaryMountPointName#/one}}',
      '2 {{TemporaryMountPointName#/two}}',
      '3 {{TemporaryMountPointName#/two}}-1',
    ]);
    expect(await listAcceptedShares(world, 'bob')).toEqual([]);
  });

  it('send each server of a pending share one message that it was seen', async () => {
    await listAllReceivedShares(world, 'bob');
    await listPendingShares(world, 'bob');
    expect(world.sent).toEqual(['seen 1', 'seen 2', 'seen 3']);
  });

  it('show accepted shares before pending ones, which then have plain names', async () => {
    await acceptReceivedShare(world, 'bob', 3);
    expect(shown(await listAllReceivedShares(world, 'bob'))).toEqual(['3 /two', '1 /one', '2 /two']);
    expect(shown(await listAcceptedShares(world, 'bob'))).toEqual(['3 /two']);
  });
});

describe('one received share', () => {
  it('is read while it is pending, and after it was accepted', async () => {
    expect((await readReceivedShare(world, 'bob', 3)).mountPoint).toBe('{{TemporaryMountPointName#/two}}-1');
    await acceptReceivedShare(world, 'bob', 3);
    expect((await readReceivedShare(world, 'bob', 3)).mountPoint).toBe('/two');
  });

  it.each([
    ['of somebody else', 4],
    ['that never was', 99],
  ])('%s is none', async (_what, id) => {
    await expect(readReceivedShare(world, 'bob', id)).rejects.toMatchObject({ failure: 'nothing-to-read' });
    await expect(acceptReceivedShare(world, 'bob', id)).rejects.toMatchObject({
      failure: 'nothing-to-decide',
    });
    await expect(declineReceivedShare(world, 'bob', id)).rejects.toMatchObject({
      failure: 'nothing-to-decide',
    });
    await expect(leaveReceivedShare(world, 'bob', id)).rejects.toMatchObject({ failure: 'nothing-to-leave' });
    expect(world.sent).toEqual([]);
  });
});

describe('a decision', () => {
  it('is sent to the server once, even if the user repeats it', async () => {
    await acceptReceivedShare(world, 'bob', 1);
    await acceptReceivedShare(world, 'bob', 1);
    expect(world.sent).toEqual(['accepted 1']);
  });

  it.each(['accepted', 'quarantined'] as const)(
    'does not move a share that is %s when it is accepted',
    async (state) => {
      await acceptReceivedShare(world, 'bob', 1);
      const moved = { ...world.shares.get(1)!, state, fileTarget: '/elsewhere' };
      world.shares.set(1, moved);
      expect((await acceptReceivedShare(world, 'bob', 1)).mountPoint).toBe('/elsewhere');
      expect(world.shares.get(1)).toEqual(moved);
    },
  );

  it('places the share in the folder for shares', async () => {
    world.set('system/share_folder', '/Shares');
    expect((await acceptReceivedShare(world, 'bob', 1)).mountPoint).toBe('/Shares/one');
  });

  it.each([
    ['declining', declineReceivedShare],
    ['leaving', leaveReceivedShare],
  ])('of %s permanently ends a pending share and an accepted one', async (_name, end) => {
    await acceptReceivedShare(world, 'bob', 1);
    await end(world, 'bob', 1, ' no, thanks ');
    await end(world, 'bob', 2, ' ');
    expect(world.sent).toEqual(['accepted 1', 'declined 1: no, thanks', 'declined 2']);
    expect(shown(await listAllReceivedShares(world, 'bob'))).toEqual(['3 /two']);
    await expect(end(world, 'bob', 1)).rejects.toThrow();
    await expect(acceptReceivedShare(world, 'bob', 1)).rejects.toThrow();
  });
});
