import fc from 'fast-check';
import { statusOf } from './status';

/** Columns: internal code; HTTP status and shown code of version 1; the same of version 2. */
const TABLE: readonly (readonly [number, number, number, number, number])[] = [
  [100, 200, 100, 200, 200],
  [997, 401, 997, 401, 997],
  [998, 200, 998, 404, 404],
  [996, 200, 996, 500, 500],
  [999, 200, 999, 404, 404],
  [104, 200, 104, 403, 403],
  [101, 200, 101, 400, 400],
  [102, 200, 102, 400, 400],
  [103, 200, 103, 400, 400],
  [105, 200, 105, 400, 400],
  [106, 200, 106, 400, 400],
  [200, 200, 200, 200, 200],
  [400, 200, 400, 400, 400],
  [403, 200, 403, 403, 403],
  [404, 200, 404, 404, 404],
  [409, 200, 409, 409, 409],
  [500, 200, 500, 500, 500],
  [501, 200, 501, 501, 501],
  [413, 413, 413, 413, 413],
  [429, 429, 429, 429, 429],
  [503, 503, 503, 503, 503],
];

describe('the status mapping', () => {
  it.each(TABLE)('shows %i as HTTP %i with %i in version 1', (code, http, shown) => {
    expect(statusOf(code, 1)).toEqual({ http, shown, ok: code === 100 });
  });

  it.each(TABLE.map(([code, , , http, shown]) => [code, http, shown] as const))(
    'shows %i as HTTP %i with %i in version 2',
    (code, http, shown) => {
      expect(statusOf(code, 2)).toEqual({ http, shown, ok: http === 200 });
    },
  );

  it('maps every possible code to an HTTP status', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 100, max: 999 }),
        fc.constantFrom(1 as const, 2 as const),
        (code, version) => {
          const { http, shown, ok } = statusOf(code, version);
          expect(http).toBeGreaterThanOrEqual(200);
          expect(http).toBeLessThan(600);
          if (ok) expect([100, 200]).toContain(shown);
          if (version === 2 && http !== 401) expect(shown).toBe(http);
        },
      ),
    );
  });
});
