import { eventually } from '../../testing/src/waiting';
import { RememberedPasswords } from './remembered-passwords';

const HOUR_MS = 3_600_000;

describe('a remembered password', () => {
  afterEach(() => jest.restoreAllMocks());

  it('is recognised until it or its stored hash changes', () => {
    const remembered = new RememberedPasswords();
    remembered.add('bob', 'hash', 'secret');
    expect(remembered.has('bob', 'hash', 'secret')).toBe(true);
    expect(remembered.has('bob', 'hash', 'Secret')).toBe(false);
    expect(remembered.has('bob', 'another', 'secret')).toBe(false);
    expect(remembered.has('ann', 'hash', 'secret')).toBe(false);
  });

  it('is forgotten after a day', async () => {
    const clock = jest.spyOn(performance, 'now').mockReturnValue(1000);
    const remembered = new RememberedPasswords();
    remembered.add('bob', 'hash', 'secret');
    clock.mockReturnValue(1000 + 23 * HOUR_MS);
    expect(remembered.has('bob', 'hash', 'secret')).toBe(true);
    clock.mockReturnValue(1000 + 25 * HOUR_MS);
    // The store reads the clock at most once per millisecond.
    await eventually('forgetting', () => !remembered.has('bob', 'hash', 'secret'));
  });
});
