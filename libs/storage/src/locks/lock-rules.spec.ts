import type { PlaceLock } from '#persistence';
import fc from 'fast-check';
import { conflictingLocks, covers, locksInTheWay, type LockKeys } from './lock-rules';
import { lockRootAt } from './place-locks';
import type { NodePath } from '../tree/node-path';

let count = 0;
const lock = (path: string, changes: Partial<PlaceLock> = {}): PlaceLock => ({
  token: `token-${++count}`,
  path,
  kind: 'token',
  isExclusive: true,
  isDeep: false,
  uid: 'alice',
  shareId: null,
  ...changes,
});
const keys = (uid: string, ...locks: PlaceLock[]): LockKeys => ({
  maker: { uid },
  tokens: locks.map(({ token }) => token),
});
const nobody = keys('carol');

describe('locks', () => {
  it('forbid changes of the locked node, of nodes below a deep lock, and of the entries of a locked folder', () => {
    const file = lock('/a/b');
    expect(locksInTheWay([file], '/a/b', 'content', nobody)).toEqual([file]);
    expect(locksInTheWay([file], '/a/b', 'removal', nobody)).toEqual([file]);
    expect(locksInTheWay([file], '/a', 'removal', nobody)).toEqual([file]);
    expect(locksInTheWay([file], '/a', 'content', nobody)).toEqual([]);
    const [deep, flat] = [lock('/a', { isDeep: true }), lock('/a')];
    for (const change of ['content', 'new', 'removal'] as const)
      expect(locksInTheWay([deep], '/a/b/c', change, nobody)).toEqual([deep]);
    expect(locksInTheWay([flat], '/a/b', 'content', nobody)).toEqual([]);
    expect(locksInTheWay([flat], '/a/b', 'new', nobody)).toEqual([flat]);
    expect(locksInTheWay([flat], '/a/b', 'removal', nobody)).toEqual([flat]);
    expect(locksInTheWay([flat], '/a/b/c', 'removal', nobody)).toEqual([]);
  });

  it('open only to their owners with the token', () => {
    const own = lock('/a');
    expect(locksInTheWay([own], '/a', 'content', keys('alice', own))).toEqual([]);
    expect(locksInTheWay([own], '/a', 'content', keys('alice'))).toEqual([own]);
    expect(locksInTheWay([own], '/a', 'content', keys('bob', own))).toEqual([own]);
    const ofShare = lock('/a', { uid: null, shareId: 7 });
    const through = (shareId: number): LockKeys => ({ maker: { shareId }, tokens: [ofShare.token] });
    expect(locksInTheWay([ofShare], '/a', 'content', through(7))).toEqual([]);
    expect(locksInTheWay([ofShare], '/a', 'content', through(8))).toEqual([ofShare]);
    const forUser = lock('/a', { kind: 'user' });
    expect(locksInTheWay([forUser], '/a', 'content', keys('alice'))).toEqual([]);
    expect(locksInTheWay([forUser], '/a', 'content', keys('bob', forUser))).toEqual([forUser]);
  });

  it('open with one of their tokens if they are shared', () => {
    const [mine, theirs] = [
      lock('/a', { isExclusive: false }),
      lock('/a', { isExclusive: false, uid: 'bob' }),
    ];
    expect(locksInTheWay([mine, theirs], '/a', 'content', keys('alice', mine))).toEqual([]);
    expect(locksInTheWay([mine, theirs], '/a', 'content', keys('bob', theirs))).toEqual([]);
    expect(locksInTheWay([mine, theirs], '/a', 'content', keys('bob', mine))).toEqual([mine, theirs]);
  });

  it('of several entries below all have to open before the folder can be removed', () => {
    const [one, other] = [lock('/a/1'), lock('/a/2')];
    expect(locksInTheWay([one, other], '/a', 'removal', keys('alice', one))).toEqual([other]);
    expect(locksInTheWay([one, other], '/a', 'removal', keys('alice', one, other))).toEqual([]);
  });

  it('conflict unless they are shared, also with those below a deep one', () => {
    const [exclusive, shared] = [lock('/a/b'), lock('/a/b', { isExclusive: false })];
    const wanted = (isExclusive: boolean, isDeep = false) => ({ isExclusive, isDeep });
    expect(conflictingLocks([exclusive], '/a/b', wanted(false))).toEqual([exclusive]);
    expect(conflictingLocks([shared], '/a/b', wanted(false))).toEqual([]);
    expect(conflictingLocks([shared], '/a/b', wanted(true))).toEqual([shared]);
    expect(conflictingLocks([exclusive], '/a', wanted(true))).toEqual([]);
    expect(conflictingLocks([exclusive], '/a', wanted(true, true))).toEqual([exclusive]);
    expect(conflictingLocks([lock('/a')], '/a/b', wanted(true))).toEqual([]);
  });

  const path = fc
    .array(fc.constantFrom('x', 'y', 'z'), { minLength: 1, maxLength: 4 })
    .map((names) => `/${names.join('/')}`);
  const anyLock = fc
    .record({ path, isDeep: fc.boolean(), isExclusive: fc.boolean(), uid: fc.constantFrom('alice', 'bob') })
    .map(({ path: at, ...rest }) => lock(at, rest));
  const locks = fc.array(anyLock, { maxLength: 8 });

  it('open to their common owner with all tokens', () => {
    fc.assert(
      fc.property(locks, path, fc.constantFrom('content', 'new', 'removal'), (all, at, change) => {
        const own = all.map((each) => ({ ...each, uid: 'alice' }));
        expect(locksInTheWay(own, at, change, keys('alice', ...own))).toEqual([]);
      }),
    );
  });

  it('block a caller without tokens exactly if they apply to the change', () => {
    fc.assert(
      fc.property(locks, path, (all, at) => {
        expect(new Set(locksInTheWay(all, at, 'content', nobody))).toEqual(
          new Set(all.filter((each) => covers(each, at))),
        );
      }),
    );
  });

  it('are never granted twice if one of them is exclusive', () => {
    fc.assert(
      fc.property(locks, path, (wanted, at) => {
        const granted: PlaceLock[] = [];
        for (const each of wanted)
          if (conflictingLocks(granted, each.path, each).length === 0) granted.push(each);
        const here = granted.filter((each) => covers(each, at));
        expect(here.length <= 1 || here.every((each) => !each.isExclusive)).toBe(true);
      }),
    );
  });
});

describe('the root of a lock', () => {
  const standing = {
    path: '/Shares/docs/a/b' as NodePath,
    storagePath: '/team/docs/a/b',
    mountTarget: '/Shares/docs',
  };

  it.each([
    ['/team/docs/a/b', '/Shares/docs/a/b'],
    ['/team/docs/a/b/c', '/Shares/docs/a/b/c'],
    ['/team/docs', '/Shares/docs'],
    ['/work', '/Shares/docs'],
    ['', '/Shares/docs'],
  ])('at %s in its storage appears at %s to users who reach it through a share', (stored, shown) => {
    expect(lockRootAt(standing, stored)).toBe(shown);
  });

  it('appears at its place in the owner’s tree', () => {
    expect(lockRootAt({ path: '/a/b' as NodePath, storagePath: '/a/b', mountTarget: null }, '/a')).toBe('/a');
    expect(lockRootAt({ path: '/a/b' as NodePath, storagePath: '/a/b', mountTarget: null }, '')).toBe('');
  });
});
