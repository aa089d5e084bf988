import { SignatureRefused } from './signature-refused';
import { assertCurrent, parseHttpDate, SIGNATURE_WINDOW_MS } from './signed-at';

describe('the date of a message', () => {
  it('is read in the preferred form of HTTP', () => {
    expect(parseHttpDate('Sat, 21 Nov 2026 12:00:00 GMT')).toBe(1_795_262_400_000);
  });

  it.each([
    '',
    '1795262400',
    '2026-11-21T12:00:00Z',
    'Sat, 21 Nov 2026 12:00:00',
    'Sat, 21 Nov 2026 12:00:00 +0000',
    'Sat, 21 Nov 2026 12:00:00 EST',
    'Sat, 21 nov 2026 12:00:00 GMT',
    'Sat, 21 Nov 2026 25:00:00 GMT',
    'Saturday, 21-Nov-26 12:00:00 GMT',
    'Sat Nov 21 12:00:00 2026',
    'Sat, 21 Nov 2026 12:00:00 GMT, Sat, 21 Nov 2026 12:00:00 GMT',
  ])('is in no other form: %s', (text) => {
    expect(() => parseHttpDate(text)).toThrow(new SignatureRefused('malformed', 'date'));
  });

  it.each([
    [0, true],
    [SIGNATURE_WINDOW_MS, true],
    [-SIGNATURE_WINDOW_MS, true],
    [SIGNATURE_WINDOW_MS + 1, false],
    [-SIGNATURE_WINDOW_MS - 1, false],
  ])('may be %d ms from now: %s', (offset, expected) => {
    const check = () => assertCurrent(1_795_262_400_000 + offset, 1_795_262_400_000, 'date');
    if (expected) expect(check).not.toThrow();
    else expect(check).toThrow(new SignatureRefused('out-of-date', 'date'));
  });
});
