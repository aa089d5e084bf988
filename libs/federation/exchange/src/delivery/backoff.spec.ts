import * as fc from 'fast-check';
import { LADDER_MS, MAX_RETRY_AFTER_MS, pauseAfter } from './backoff';
import { MESSAGE_KINDS, MESSAGES } from '../messages/message-catalogue';

const always = (value: number) => ({ next: () => value });
const almostOne = always(0.9999999999);

describe('the pause after a failed attempt', () => {
  it.each([
    [1, 5_000],
    [2, 30_000],
    [3, 120_000],
    [4, 600_000],
    [5, 1_800_000],
    [6, 3_600_000],
    [7, 7_200_000],
    [8, 14_400_000],
    [9, 21_600_000],
    [40, 21_600_000],
  ])('after attempt %i is at most %i ms', (attempts, bound) => {
    expect(pauseAfter(attempts, undefined, almostOne)).toBe(bound);
    expect(pauseAfter(attempts, undefined, always(0.5))).toBe(bound / 2);
  });

  it('is never less than a second', () => {
    expect(pauseAfter(1, undefined, always(0))).toBe(1000);
  });

  it('is at least the time that the partner requested, but at most a day', () => {
    expect(pauseAfter(1, 90_000, always(0))).toBe(90_000);
    expect(pauseAfter(3, 1, almostOne)).toBe(120_000);
    expect(pauseAfter(1, 10 * MAX_RETRY_AFTER_MS, always(0))).toBe(MAX_RETRY_AFTER_MS);
    expect(pauseAfter(1, -5, always(0))).toBe(1000);
  });

  it('stays within its bounds for every attempt, requested time and random number', () => {
    fc.assert(
      fc.property(
        fc.nat(100),
        fc.option(fc.integer(), { nil: undefined }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attempts, wish, chance) => {
          const pauseMs = pauseAfter(attempts, wish, always(chance));
          expect(pauseMs).toBeGreaterThanOrEqual(1000);
          expect(pauseMs).toBeLessThanOrEqual(Math.max(LADDER_MS.at(-1)!, MAX_RETRY_AFTER_MS));
        },
      ),
    );
  });
});

it('repeats the end of an access longest, and a new share shortest', () => {
  const days = MESSAGE_KINDS.map((kind) => [kind, MESSAGES[kind].lifetimeMs / 86_400_000]);
  expect(Object.fromEntries(days)).toEqual({
    'share-create': 3,
    'share-permissions': 7,
    'share-content': 7,
    'share-unshare': 30,
    'received-seen': 1,
    'received-accept': 7,
    'received-decline': 30,
    'reshare-request': 3,
    'share-request': 3,
    'reshare-accepted': 7,
    'reshare-declined': 30,
    'reshare-permissions': 7,
    'reshare-undo': 30,
  });
});
