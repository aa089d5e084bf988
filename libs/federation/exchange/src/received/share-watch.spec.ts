import {
  afterProbe,
  KEPT_LOST_DAYS,
  type ProbeResult,
  type ShareUse,
  type WatchDecision,
  type WatchedShare,
  type WatchedState,
} from './share-watch';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = Date.UTC(2030, 0, 1);

const ACTIVE: ShareUse = {
  recipientIsActive: true,
  isInUse: false,
  inUseThere: 0,
  partnerReports: false,
};

function shareIn(state: WatchedState, changes: Partial<WatchedShare> = {}): WatchedShare {
  const quarantined = state === 'quarantined' || state === 'gone';
  return {
    state,
    verified: state !== 'pending',
    failedProbes: { pending: 0, accepted: 0, quarantined: 1, gone: 3 }[state],
    unreachableSinceMs: null,
    quarantinedAtMs: quarantined ? START - 2 * DAY : null,
    goneAtMs: state === 'gone' ? START - HOUR : null,
    ...changes,
  };
}

const probe = (
  share: WatchedShare,
  result: ProbeResult,
  { nowMs = START, chance = 0, ...use }: Partial<ShareUse & { nowMs: number; chance: number }> = {},
): WatchDecision => afterProbe(share, result, { nowMs, use: { ...ACTIVE, ...use }, chance });

describe('one probe', () => {
  // Columns: state before, result of the probe, state after, pause until the next probe.
  it.each<[WatchedState, ProbeResult, WatchedState, number | null]>([
    ['pending', 'seen', 'pending', null],
    ['pending', 'refused', 'pending', MINUTE],
    ['pending', 'silent', 'pending', MINUTE],
    ['accepted', 'seen', 'accepted', 10 * MINUTE],
    ['accepted', 'refused', 'quarantined', HOUR],
    ['accepted', 'silent', 'accepted', 20_000],
    ['quarantined', 'seen', 'accepted', 10 * MINUTE],
    ['quarantined', 'refused', 'quarantined', HOUR],
    ['quarantined', 'silent', 'quarantined', HOUR],
    ['gone', 'seen', 'accepted', 10 * MINUTE],
    ['gone', 'refused', 'gone', DAY],
    ['gone', 'silent', 'gone', DAY],
  ])('at a %s share that is %s leaves it %s', (state, result, after, pauseMs) => {
    const decision = probe(shareIn(state), result);
    expect(decision.state).toBe(after);
    expect(decision.nextProbeAtMs).toBe(pauseMs === null ? null : START + pauseMs);
  });

  it('ends every doubt if it shows the share', () => {
    const doubted = shareIn('gone', { unreachableSinceMs: START - DAY });
    expect(probe(doubted, 'seen')).toEqual({
      ...shareIn('accepted'),
      nextProbeAtMs: START + 10 * MINUTE,
    });
  });

  it('without an answer only records the time, and does not count', () => {
    const since = START - 3 * DAY;
    expect(probe(shareIn('accepted'), 'silent').unreachableSinceMs).toBe(START);
    const quarantined = shareIn('quarantined', { unreachableSinceMs: since });
    expect(probe(quarantined, 'silent')).toMatchObject({ unreachableSinceMs: since, failedProbes: 1 });
  });

  it.each<[string, Partial<ShareUse>, number]>([
    ['every three seconds where clients look at the share', { inUseThere: 1 }, 3_000],
    ['in turn, five a second, where many shares of the partner are in use', { inUseThere: 50 }, 9_000],
    ['rarely where the partner says itself what changed', { partnerReports: true }, 10 * MINUTE],
  ])('comes %s', (_, use, pauseMs) => {
    const inUse = { isInUse: true, recipientIsActive: false, chance: 0, ...use };
    expect(probe(shareIn('accepted'), 'seen', inUse).nextProbeAtMs).toBe(START + pauseMs);
  });

  it.each<[string, number, boolean, number]>([
    ['at once', 0, true, 20_000],
    ['after five minutes', 5 * MINUTE, true, 5 * MINUTE],
    ['after an hour', HOUR, true, 10 * MINUTE],
    ['after an hour, of a recipient who is not there', HOUR, false, HOUR],
    ['after a day, of a recipient who is not there', DAY, false, HOUR],
  ])(
    'without an answer %s is repeated after doubled pauses, up to the usual one',
    (_, silentMs, isActive, pauseMs) => {
      const share = shareIn('accepted', { unreachableSinceMs: START - silentMs });
      const { nextProbeAtMs } = probe(share, 'silent', { recipientIsActive: isActive });
      expect(nextProbeAtMs).toBe(START + pauseMs);
    },
  );

  it('is repeated once an hour if the recipient is not active, with a random delay', () => {
    const away = { recipientIsActive: false };
    expect(probe(shareIn('accepted'), 'seen', away).nextProbeAtMs).toBe(START + HOUR);
    expect(probe(shareIn('quarantined'), 'refused', away).nextProbeAtMs).toBe(START + HOUR);
    expect(probe(shareIn('accepted'), 'seen', { chance: 0.5 }).nextProbeAtMs).toBe(START + 11 * MINUTE);
  });
});

describe('an offer', () => {
  it('is not probed again after its server confirmed it, even after failures', () => {
    const offered = shareIn('pending', { failedProbes: 4 });
    expect(probe(offered, 'seen')).toMatchObject({ verified: true, failedProbes: 0, nextProbeAtMs: null });
  });

  it.each(['refused', 'silent'] as const)(
    'that is %s is probed a few times, and stays unverified',
    (result) => {
      const pauses: number[] = [];
      let share: WatchDecision = { ...shareIn('pending'), nextProbeAtMs: START };
      while (share.nextProbeAtMs !== null && pauses.length < 20) {
        const nowMs = share.nextProbeAtMs;
        share = probe(share, result, { nowMs });
        pauses.push((share.nextProbeAtMs ?? nowMs) - nowMs);
      }
      expect(pauses).toEqual([MINUTE, 10 * MINUTE, HOUR, 6 * HOUR, DAY, 0]);
      expect(share).toMatchObject({ state: 'pending', verified: false });
    },
  );
});

/** The life of an accepted share that is probed whenever a probe is due. */
function story(
  resultAt: (hours: number) => ProbeResult,
  hours: number,
): { lostAfterHours: number | null; last: WatchDecision } {
  let share: WatchDecision = { ...shareIn('accepted'), nextProbeAtMs: START };
  let lostAfterHours: number | null = null;
  while (share.nextProbeAtMs !== null && share.nextProbeAtMs <= START + hours * HOUR) {
    const nowMs = share.nextProbeAtMs;
    share = probe(share, resultAt((nowMs - START) / HOUR), { nowMs, chance: 0.3 });
    if (share.state === 'gone') lostAfterHours ??= (nowMs - START) / HOUR;
  }
  return { lostAfterHours, last: share };
}

describe('a share that a third server reported as ended', () => {
  const doubted = (): WatchedShare =>
    shareIn('accepted', { failedProbes: 2, quarantinedAtMs: START - DAY, unreachableSinceMs: START });

  it('ends with the first refusal by its server', () => {
    expect(probe(doubted(), 'refused')).toMatchObject({ state: 'gone', goneAtMs: START });
  });

  it('is probed each minute for ten minutes while its server shows it, and ends at the first refusal', () => {
    let share: WatchDecision = { ...doubted(), nextProbeAtMs: START };
    for (let minute = 0; minute < 5; minute++) {
      share = probe(share, 'seen', { nowMs: share.nextProbeAtMs! });
      expect(share).toMatchObject({ state: 'accepted', unreachableSinceMs: null });
      expect(share.nextProbeAtMs).toBe(START + (minute + 1) * MINUTE);
    }
    expect(probe(share, 'refused', { nowMs: share.nextProbeAtMs! }).state).toBe('gone');
  });

  it('is probed as usual if its server still shows it after ten minutes', () => {
    const nowMs = START + 10 * MINUTE;
    expect(probe(doubted(), 'seen', { nowMs })).toMatchObject({ failedProbes: 0, quarantinedAtMs: null });
  });
});

describe('a share that its server refuses', () => {
  it('ends after a day, not before', () => {
    const { lostAfterHours } = story(() => 'refused', 72);
    expect(lostAfterHours).toBeGreaterThanOrEqual(24);
    expect(lostAfterHours).toBeLessThan(26);
  });

  it('does not end by probes in quick succession', () => {
    let share: WatchDecision = { ...shareIn('accepted'), nextProbeAtMs: START };
    for (let second = 0; second < 1000; second++)
      share = probe(share, 'refused', { nowMs: START + second * 1000 });
    expect(share).toMatchObject({ state: 'quarantined', failedProbes: 1 });
  });

  it('does not end while its server fails', () => {
    const { lostAfterHours, last } = story((hours) => (hours < 1 ? 'refused' : 'silent'), 24 * 60);
    expect([lostAfterHours, last.state]).toEqual([null, 'quarantined']);
  });

  it('starts again if it was seen in between', () => {
    const { lostAfterHours } = story((hours) => (hours > 13 && hours < 15 ? 'seen' : 'refused'), 96);
    expect(lostAfterHours).toBeGreaterThanOrEqual(14 + 24);
  });

  it('is probed while it is kept, and not after that', () => {
    const { last } = story(() => 'refused', 24 * 60);
    expect(last).toMatchObject({ state: 'gone', nextProbeAtMs: null });
    const goneAtMs = START - KEPT_LOST_DAYS * DAY + 2 * DAY;
    expect(probe(shareIn('gone', { goneAtMs }), 'refused').nextProbeAtMs).toBe(START + DAY);
  });
});
