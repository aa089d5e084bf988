import fc from 'fast-check';
import {
  NEWEST_KEPT,
  outdatedVersions,
  parseRetention,
  protectedSince,
  type AgingVersion,
} from './version-retention';

const NOW = new Date('2030-05-15T12:34:56Z');
const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];
const after = (ms: number): Date => new Date(NOW.getTime() + ms);
const AUTO = parseRetention('auto')!;

/** Versions of these ages, the oldest first. */
const aged = (...ages: number[]): AgingVersion[] =>
  [...ages]
    .sort((a, b) => b - a)
    .map((age, index) => ({ id: index + 1, storedAt: after(-age), isNamed: false }));

/** Old and young versions in clusters, so that many fall into one period. */
const histories = fc
  .array(
    fc.tuple(
      fc.constantFrom(
        0,
        30 * SECOND,
        MINUTE,
        30 * MINUTE,
        HOUR,
        5 * HOUR,
        DAY,
        20 * DAY,
        40 * DAY,
        400 * DAY,
      ),
      fc.integer({ min: 0, max: 3 * HOUR }),
      fc.boolean(),
    ),
    { maxLength: 80 },
  )
  .map((drawn) => {
    const named = new Set(
      drawn.flatMap(([, , isNamed], index) => (isNamed && index % 7 === 0 ? [index + 1] : [])),
    );
    return aged(...drawn.map(([age, jitter]) => age + jitter)).map((version) => ({
      ...version,
      isNamed: named.has(version.id),
    }));
  });

const keptOf = (versions: readonly AgingVersion[], rule: string, now = NOW): AgingVersion[] => {
  const outdated = new Set(outdatedVersions(versions, parseRetention(rule)!, now));
  return versions.filter(({ id }) => !outdated.has(id));
};

describe('the retention rule of versions', () => {
  it.each([
    ['auto', [true, true, 0, Infinity]],
    ['auto, auto', [true, true, 0, Infinity]],
    ['30,auto', [true, true, 30, Infinity]],
    ['auto, 365', [true, true, 0, 365]],
    ['30,60', [true, false, 30, 60]],
    ['60,30', [true, false, 60, 60]],
    ['disabled', [false, false, Infinity, Infinity]],
  ])('reads %s', (text, expected) => {
    const rule = parseRetention(text)!;
    expect([rule.removes, rule.thins, rule.atLeastDays, rule.atMostDays]).toEqual(expected);
  });

  it.each(['', 'never', '30;60', '1,2,3', '-1,auto', 'auto,', '1.5', '1000000'])(
    'does not read "%s"',
    (text) => {
      expect(parseRetention(text)).toBeUndefined();
    },
  );

  it('names the versions that may not be removed for space', () => {
    expect(protectedSince(AUTO, NOW)).toEqual(NOW);
    expect(protectedSince(parseRetention('30,auto')!, NOW)).toEqual(after(-30 * DAY));
    expect(protectedSince(parseRetention('disabled')!, NOW)).toEqual(new Date(0));
  });
});

describe('thinning of versions by age', () => {
  /** Enough newer versions to push the tested ones out of the newest. */
  const newest = Array.from({ length: NEWEST_KEPT }, (_, index) => index);

  it.each<[string, number[], number[]]>([
    ['one of each second in the last minute', [20_100, 20_200, 22_000], [20_200, 22_000]],
    [
      'one of each minute in the last hour',
      [10 * MINUTE, 10 * MINUTE + 10_000, 12 * MINUTE],
      [10 * MINUTE + 10_000, 12 * MINUTE],
    ],
    [
      'one of each hour in the last day',
      [5 * HOUR, 5 * HOUR + 10 * MINUTE, 7 * HOUR],
      [5 * HOUR + 10 * MINUTE, 7 * HOUR],
    ],
    [
      'one of each day in the last thirty days',
      [5 * DAY, 5 * DAY + HOUR, 7 * DAY],
      [5 * DAY + HOUR, 7 * DAY],
    ],
    ['one of each week before', [101 * DAY, 102 * DAY, 110 * DAY], [102 * DAY, 110 * DAY]],
  ])('leaves %s', (_, ages, left) => {
    const kept = keptOf(aged(...newest, ...ages), 'auto').slice(0, -NEWEST_KEPT);
    expect(kept.map(({ storedAt }) => NOW.getTime() - storedAt.getTime()).sort((a, b) => a - b)).toEqual(
      left,
    );
  });

  it('keeps the newest versions, named ones, and the first of each period', () => {
    fc.assert(
      fc.property(histories, (versions) => {
        const kept = keptOf(versions, 'auto');
        const newestIds = versions.slice(-NEWEST_KEPT).map(({ id }) => id);
        const named = versions.filter(({ isNamed }) => isNamed).map(({ id }) => id);
        const keptIds = new Set(kept.map(({ id }) => id));
        expect([...newestIds, ...named].every((id) => keptIds.has(id))).toBe(true);
        for (const gone of versions.filter(({ id }) => !keptIds.has(id))) {
          const age = NOW.getTime() - gone.storedAt.getTime();
          const length =
            age < MINUTE ? SECOND : age < HOUR ? MINUTE : age < DAY ? HOUR : age < 30 * DAY ? DAY : 7 * DAY;
          const hasFirst = kept.some(
            ({ id, storedAt }) => id < gone.id && gone.storedAt.getTime() - storedAt.getTime() < length,
          );
          expect(hasFirst).toBe(true);
        }
      }),
    );
  });

  it('gives the same result if it is repeated', () => {
    fc.assert(
      fc.property(
        histories,
        fc.array(fc.integer({ min: 0, max: 40 * DAY }), { maxLength: 4 }),
        (versions, delays) => {
          const times = delays.sort((a, b) => a - b).map(after);
          const last = times.at(-1) ?? NOW;
          const often = times.reduce((left, now) => keptOf(left, 'auto', now), keptOf(versions, 'auto'));
          expect(keptOf(often, 'auto', last)).toEqual(keptOf(versions, 'auto', last));
        },
      ),
    );
  });

  it('keeps a limited number, even of very many', () => {
    const burst = Array.from({ length: 20_000 }, (_, index) => index * 37);
    expect(keptOf(aged(...burst), 'auto').length).toBeLessThanOrEqual(NEWEST_KEPT + 60 + 60);
  });

  it('keeps versions younger than the minimum, removes those older than the maximum, and nothing if disabled', () => {
    fc.assert(
      fc.property(histories, fc.nat(50), fc.nat(500), (versions, least, more) => {
        const ageOf = ({ storedAt }: AgingVersion): number => (NOW.getTime() - storedAt.getTime()) / DAY;
        const kept = keptOf(versions, `${least},auto`);
        expect(versions.filter((version) => ageOf(version) < least && !kept.includes(version))).toEqual([]);
        const between = `${least},${least + more}`;
        expect(keptOf(versions, between)).toEqual(
          versions.filter((version) => ageOf(version) <= least + more),
        );
        expect(keptOf(versions, 'disabled')).toEqual(versions);
      }),
    );
  });
});
