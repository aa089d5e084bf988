import fc from 'fast-check';
import { dayOf, daysAfter, expiryBehind, parseDay, resolveExpiry, type Day, type ExpiryWish } from './expiry';
import type { ExpiryRule } from './policy';
import { SharingFailed } from './sharing-failed';

const TODAY = '2030-01-31' as Day;

describe('a day', () => {
  it.each([
    ['2030-02-28', '2030-02-28'],
    ['2030-2-8', '2030-02-08'],
    [' 2030-02-28 ', '2030-02-28'],
    ['2030-02-28 00:00:00', '2030-02-28'],
    ['2030-02-28T23:59:59Z', '2030-02-28'],
    ['2030-02-28T23:59:59.123+02:00', '2030-02-28'],
    ['20300228', '2030-02-28'],
    ['28.2.2030', '2030-02-28'],
    ['28-02-2030', '2030-02-28'],
    ['2032-02-29', '2032-02-29'],
    ['today', TODAY],
    ['Tomorrow', '2030-02-01'],
    ['yesterday', '2030-01-30'],
    ['+7 days', '2030-02-07'],
    ['1 week', '2030-02-07'],
    ['-1 day', '2030-01-30'],
  ])('is read from %j as %s', (raw, day) => {
    expect(parseDay(raw, TODAY)).toBe(day);
  });

  it.each([
    ...[
      '',
      ' ',
      'soon',
      '2030',
      '2030-02',
      '2030-02-30',
      '2030-13-01',
      '2030-00-10',
      '2030-01-00',
      '2031-02-29',
    ],
    ...[
      '31.2.2030',
      '20301301',
      '0000-01-01',
      '1969-12-31',
      '02030-01-01',
      '2030-01-01x',
      'x2030-01-01',
      '1893456000',
    ],
    ...[
      '2030-01-01\0',
      '-2030-01-01',
      '+99999 days',
      '7 fortnights',
      '1e3 days',
      '٢٠٣٠-٠١-٠١',
      '2'.repeat(1000),
    ],
  ])('is not read from %j', (raw) => {
    expect(parseDay(raw, TODAY)).toBeUndefined();
  });

  it('of any instant is read back as itself', () => {
    const instants = fc.date({
      min: new Date('1970-01-01'),
      max: new Date('9999-12-31'),
      noInvalidDate: true,
    });
    fc.assert(fc.property(instants, (instant) => parseDay(dayOf(instant), TODAY) === dayOf(instant)));
  });

  it('is either a day of the calendar or refused', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789-./ +TZ:days'), maxLength: 24 });
    fc.assert(
      fc.property(fc.oneof(digits, fc.string()), (raw) => {
        const day = parseDay(raw, TODAY);
        if (day !== undefined) expect(dayOf(new Date(`${day}T00:00:00Z`))).toBe(day);
      }),
    );
  });
});

describe('the expiry of a share', () => {
  const free: ExpiryRule = { defaultOn: false, enforced: false, days: 7 };
  const suggested: ExpiryRule = { defaultOn: true, enforced: false, days: 7 };
  const enforced: ExpiryRule = { defaultOn: true, enforced: true, days: 7 };
  const limit = daysAfter(TODAY, 7);
  const beyond = daysAfter(TODAY, 8);
  const past = daysAfter(TODAY, -1);

  it.each<[string, ExpiryRule, ExpiryWish, Day | null | undefined, Day | null | undefined]>([
    ['a silent request', free, undefined, null, undefined],
    ['a silent request, with a default', suggested, undefined, null, undefined],
    ['a silent request, with an enforced default', enforced, undefined, limit, undefined],
    ['a wish for none', free, 'none', null, null],
    ['a wish for none, with a default', suggested, 'none', null, null],
    ['today', enforced, TODAY, TODAY, TODAY],
    ['the last day allowed', enforced, limit, limit, limit],
    ['a later day that is not limited', suggested, beyond, beyond, beyond],
  ])('for %s', (_, rule, wish, created, updated) => {
    expect(resolveExpiry(wish, rule, TODAY, true)).toBe(created);
    expect(resolveExpiry(wish, rule, TODAY, false)).toBe(updated);
  });

  it.each<[string, ExpiryRule, ExpiryWish, boolean]>([
    ['expiry-past', free, past, true],
    ['expiry-past', enforced, past, false],
    ['expiry-too-far', enforced, beyond, true],
    ['expiry-too-far', enforced, beyond, false],
    ['expiry-enforced', enforced, 'none', false],
  ])('is refused as %s', (failure, rule, wish, creating) => {
    const details = failure === 'expiry-too-far' ? { days: '7' } : {};
    expect(() => resolveExpiry(wish, rule, TODAY, creating)).toThrow(SharingFailed);
    expect(() => resolveExpiry(wish, rule, TODAY, creating)).toThrow(
      expect.objectContaining({ failure, details }),
    );
  });

  it('of a creation without a day is the default if it is enforced', () => {
    expect(resolveExpiry('none', enforced, TODAY, true)).toBe(limit);
  });
});

it.each<[string | null, boolean, string | null]>([
  [null, false, null],
  ['2030-03-01', false, '2030-03-01'],
  [null, true, '2030-02-07'],
  ['2030-03-01', true, '2030-02-07'],
  ['2030-02-01', true, '2030-02-01'],
])(
  'a share behind one until %s, with an enforced week %s, lasts until %s',
  (followed, enforced, expected) => {
    const rule = { defaultOn: enforced, enforced, days: 7 };
    expect(expiryBehind(followed as Day | null, rule, TODAY)).toBe(expected);
  },
);
