import fc from 'fast-check';
import { outcomeOf } from '../../../testing/src/fakes/in-memory-sharing-calls';
import { cursorOf, parsePage } from './share-page';

const outcome = (limit?: string, cursor?: string) =>
  outcomeOf(Promise.resolve().then(() => parsePage(limit, cursor)));
const name = fc.stringMatching(/^[^/\p{Cc}]{0,40}$/u);
const number = fc.nat({ max: 999_999_999_999_999 });

describe('the requested page of a list', () => {
  it('is all of it without parameters', () => {
    expect(parsePage(undefined, undefined)).toBeUndefined();
  });

  it.each([
    ['1', 1],
    ['1000', 1000],
    ['007', 7],
  ])('limit %s', (limit, most) => {
    expect(parsePage(limit, undefined)).toEqual({ limit: most, after: undefined });
  });

  it.each(['', '0', '-1', '1001', '99999', '1.5', '1e2', ' 1', 'all', '０'])(
    'is refused for the limit %j',
    async (limit) => {
      expect(await outcome(limit)).toBe('limit-invalid');
    },
  );

  it('needs a limit with a cursor', async () => {
    expect(await outcome(undefined, cursorOf({ nodeName: '', shareType: 0, shareId: 1 }))).toBe(
      'limit-invalid',
    );
  });

  it('begins after the cursor', () => {
    fc.assert(
      fc.property(name, fc.nat({ max: 999 }), number, (nodeName, shareType, shareId) => {
        const after = { nodeName, shareType, shareId };
        expect(parsePage('5', cursorOf(after))).toEqual({ limit: 5, after });
      }),
    );
  });

  it('is refused for any other cursor', async () => {
    const made = cursorOf({ nodeName: 'a.txt', shareType: 2, shareId: 3 });
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 80 }), async (cursor) => {
        if (cursor !== made) expect(await outcome('5', cursor)).toBe('cursor-invalid');
      }),
    );
    for (const text of [
      '',
      '1.2',
      '1.2.a/b',
      '1.-3.',
      '1.2.\u0000',
      'a.b.c',
      `1.2.${'n'.repeat(256)}`,
      '1'.repeat(60),
    ])
      expect(await outcome('5', Buffer.from(text).toString('base64url'))).toBe('cursor-invalid');
  });
});
