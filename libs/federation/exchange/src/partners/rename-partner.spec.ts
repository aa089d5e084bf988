import {
  movedSpellings,
  readMove,
  renamePartner,
  type AskedHost,
  type PartnerMove,
  type RenamePorts,
} from './rename-partner';

const MOVE: PartnerMove = { from: 'old.example', to: 'new.example', baseUrl: 'https://new.example' };

/** An operator's rename. The new host shows these shares. */
class World implements RenamePorts<number, string> {
  readonly moved: PartnerMove[] = [];

  constructor(
    private readonly shares: number,
    private readonly shown: readonly number[],
    private readonly isOpenToAnybody = false,
  ) {}

  samples(_move: PartnerMove, limit: number): Promise<number[]> {
    return Promise.resolve(Array.from({ length: Math.min(this.shares, limit) }, (_, index) => index));
  }

  shows(share: number): Promise<boolean> {
    return Promise.resolve(this.shown.includes(share));
  }

  showsWithoutSecret(): Promise<boolean> {
    return Promise.resolve(this.isOpenToAnybody);
  }

  move(move: PartnerMove): Promise<string> {
    this.moved.push(move);
    return Promise.resolve('everything');
  }
}

describe('a partner at another host, without a database', () => {
  it('is renamed if the new host shows one of its shares', async () => {
    const world = new World(9, [3]);
    const renamed = { kind: 'renamed', moved: 'everything', proven: 1, asked: 5 };
    await expect(renamePartner(world, MOVE)).resolves.toEqual(renamed);
    expect(world.moved).toEqual([MOVE]);
  });

  it('is renamed on the operator’s word if there is no share', async () => {
    await expect(renamePartner(new World(0, []), MOVE)).resolves.toMatchObject({ kind: 'renamed', asked: 0 });
  });

  it.each([
    ['shows none of its shares', new World(2, []), 'shows-none'],
    ['shows a share to anybody', new World(2, [0, 1], true), 'shows-anybody'],
  ])('is not renamed if the new host %s', async (_, world, reason) => {
    await expect(renamePartner(world, MOVE)).resolves.toEqual({ kind: 'unproven', reason, asked: 2 });
    expect(world.moved).toEqual([]);
  });
});

describe('the hosts of a rename', () => {
  const wish = { from: MOVE.from, to: MOVE.to, isOldHostGone: false };
  const there: AskedHost = { baseUrl: MOVE.baseUrl };
  const away: AskedHost = { failure: 'not-listening' };

  /** The result, and the hosts that were asked. */
  async function read(answers: Record<'old' | 'new', AskedHost>, isOldHostGone: boolean) {
    const asked: string[] = [];
    const found = await readMove(
      (host) => {
        asked.push(host);
        return Promise.resolve(answers[host]);
      },
      { ...wish, isOldHostGone },
    );
    return { found, asked };
  }

  it.each([
    ['both answer', { old: there, new: there }, false, { kind: 'move', move: MOVE }, ['new', 'old']],
    ['the old one is gone', { old: away, new: there }, true, { kind: 'move', move: MOVE }, ['new']],
    [
      'the old one is away',
      { old: away, new: there },
      false,
      { kind: 'no-partner', host: 'old', failure: 'not-listening' },
      ['new', 'old'],
    ],
    [
      'the new one is away',
      { old: there, new: away },
      false,
      { kind: 'no-partner', host: 'new', failure: 'not-listening' },
      ['new'],
    ],
  ])('are asked before the rename: %s', async (_, answers, isOldHostGone, found, asked) => {
    await expect(read(answers, isOldHostGone)).resolves.toEqual({ found, asked });
  });
});

describe('a cloud id of a renamed partner', () => {
  const { idPattern, newHost, addressPattern } = movedSpellings(MOVE);
  const moved = (id: string): string => id.replace(new RegExp(idPattern, 'i'), newHost);

  it.each([
    ['bea@old.example', 'bea@new.example'],
    ['bea@https://old.example/', 'bea@new.example'],
    ['bea@OLD.example/index.php/s', 'bea@new.example'],
    ['bea@old.example.org', 'bea@old.example.org'],
    ['bea@very-old.example', 'bea@very-old.example'],
    ['bea@oldXexample', 'bea@oldXexample'],
  ])('%s becomes %s', (before, after) => {
    expect(moved(before)).toBe(after);
  });

  it('gets the scheme of the new host if it is not the usual one', () => {
    expect(movedSpellings({ ...MOVE, baseUrl: 'http://new.example' }).newHost).toBe('@http://new.example');
  });

  it('does not change addresses of longer host names', () => {
    const isOld = (address: string): boolean => new RegExp(addressPattern).test(address);
    expect(
      ['https://old.example/dav', 'https://old.example', 'https://old.example.org/dav'].map(isOld),
    ).toEqual([true, true, false]);
  });
});
