import fc from 'fast-check';
import {
  attributesFromText,
  attributesText,
  mergeAttributes,
  parseAttributes,
  permissionsFromAttributes,
  repeats,
  type ShareAttribute,
} from './attributes';

const attribute = (key: string, enabled: boolean | string, scope = 'permissions'): ShareAttribute => ({
  scope,
  key,
  enabled,
});

describe('attributes of a request', () => {
  it.each([
    ['a form', { 0: { scope: 's', key: 'k', enabled: 'true' } }, [{ scope: 's', key: 'k', enabled: true }]],
    ['a JSON list', [{ scope: 's', key: 'k', enabled: false }], [{ scope: 's', key: 'k', enabled: false }]],
    [
      'the older name',
      [{ scope: 's', key: 'k', value: 'true' }],
      [{ scope: 's', key: 'k', enabled: 'true' }],
    ],
    [
      'a flag that is none',
      [{ scope: 's', key: 'k', enabled: {} }],
      [{ scope: 's', key: 'k', enabled: false }],
    ],
    ['an item without a scope', [{ key: 'k', enabled: true }], []],
    ['an empty key', [{ scope: 's', key: '', enabled: true }], []],
    ['a scope that is no text', [{ scope: 1, key: 'k', enabled: true }], []],
    ['a key that is too long', [{ scope: 's', key: 'k'.repeat(256), enabled: true }], []],
    ['text', 'nonsense', []],
    ['nothing', null, []],
    ['a list of nothing', [null, 1, 'x', []], []],
  ])('are read from %s', (_, raw, attributes) => {
    expect(parseAttributes(raw)).toEqual(attributes);
  });

  it('are a hundred at most', () => {
    expect(
      parseAttributes(Array.from({ length: 500 }, (_, key) => attribute(String(key), true))),
    ).toHaveLength(100);
  });

  it('are read without an error from anything, and stored so that they read back', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.anything(),
          fc.array(fc.record({ scope: fc.string(), key: fc.string(), value: fc.anything() })),
        ),
        (raw) => {
          const attributes = parseAttributes(raw);
          expect(attributesFromText(attributesText(attributes))).toEqual(attributes);
        },
      ),
    );
  });
});

describe('stored attributes', () => {
  it('are null for none', () => {
    expect(attributesText([])).toBeNull();
    expect(attributesFromText(null)).toEqual([]);
  });

  it('are shown as the JSON that clients know', () => {
    expect(attributesText([attribute('download', false)])).toBe(
      '[{"scope":"permissions","key":"download","enabled":false}]',
    );
  });
});

describe('permissions as attributes', () => {
  it('are the sum of those that are on, of their own scope', () => {
    const own = (key: string, enabled: boolean | string): ShareAttribute =>
      attribute(key, enabled, 'ownCloud');
    expect(
      permissionsFromAttributes([
        own('read', true),
        own('share', 'true'),
        own('update', false),
        own('x', true),
      ]),
    ).toBe(17);
    expect(permissionsFromAttributes([attribute('read', true)])).toBe(0);
  });
});

describe('attributes of several covering shares', () => {
  const on = attribute('download', true);
  const off = attribute('download', false);
  const other = attribute('print', false);

  it('are merged: one that is on wins', () => {
    expect(mergeAttributes([[off, other], [on]])).toEqual([on, other]);
    expect(mergeAttributes([[on], [off]])).toEqual([on]);
    expect(mergeAttributes([])).toEqual([]);
  });

  it('are repeated when each is given with the same value', () => {
    expect(repeats([off, other], [off])).toBe(true);
    expect(repeats([on], [off])).toBe(false);
    expect(repeats([], [off])).toBe(false);
    expect(repeats([], [])).toBe(true);
    expect(repeats([attribute('download', 'true')], [on])).toBe(true);
  });
});
