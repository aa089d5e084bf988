import fc from 'fast-check';
import {
  attributesFromText,
  attributesText,
  mergeAttributes,
  parseAttributes,
  permissionsFromAttributes,
  repeats,
  unknownAmong,
  type ShareAttribute,
} from './attributes';
import { SharingFailed } from './sharing-failed';

const attribute = (key: string, enabled: boolean | string, scope = 'permissions'): ShareAttribute => ({
  scope,
  key,
  enabled,
});

/** The attributes; undefined if they are refused. Any other error fails the test. */
function attributesUnlessRefused(raw: unknown): ShareAttribute[] | undefined {
  try {
    return parseAttributes(raw);
  } catch (error) {
    if (error instanceof SharingFailed) return undefined;
    throw error;
  }
}

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
      'a list of Nextcloud',
      [{ scope: 's', key: 'k', value: false }],
      [{ scope: 's', key: 'k', enabled: false }],
    ],
    [
      'the JSON text of a list',
      '[{"scope":"permissions","key":"download","value":false}]',
      [{ scope: 'permissions', key: 'download', enabled: false }],
    ],
    ['an empty list', [], []],
    ['the JSON text of an empty list', ' [] ', []],
    ['empty text', '', []],
  ])('are read from %s', (_, raw, attributes) => {
    expect(parseAttributes(raw)).toEqual(attributes);
  });

  describe.each([
    ['permissions', 'download'],
    ['authentication', 'second-factor'],
    ['authentication', 'account'],
  ])('that are enforced: %s/%s', (scope, key) => {
    it.each<[unknown, boolean]>([
      ['1', true],
      ['true', true],
      [1, true],
      ['0', false],
      ['', false],
    ])('are the same flag in the older name: %j', (value, enabled) => {
      expect(parseAttributes([{ scope, key, value }])).toEqual([{ scope, key, enabled }]);
    });

    it.each(['yes', 'TRUE', 'on', undefined])('are refused with another text: %s', (value) => {
      expect(() => parseAttributes([{ scope, key, value }])).toThrow(new SharingFailed('attributes-invalid'));
    });
  });

  const many = (count: number): unknown[] =>
    Array.from({ length: count }, (_, key) => attribute(String(key), true));

  it.each([
    ['text that is no JSON', 'nonsense'],
    ['the JSON text of something else', '{"scope":"s","key":"k","enabled":true}'],
    ['the JSON text of a number', '1'],
    ['JSON text that is too long', JSON.stringify(many(100)) + ' '.repeat(70_000)],
    ['a number', 1],
    ['nothing', null],
    ['a single item that is not in a list', { scope: 's', key: 'k', enabled: true }],
    ['a list of something else', ['x']],
    ['a list with nothing in it', [null]],
    ['a flag that is none', [{ scope: 's', key: 'k', enabled: {} }]],
    ['a flag in other words', [{ scope: 's', key: 'k', enabled: 'maybe' }]],
    ['a value that is none', [{ scope: 's', key: 'k', value: [] }]],
    ['a value that is too long', [{ scope: 's', key: 'k', value: 'x'.repeat(256) }]],
    ['an item without a flag', [{ scope: 's', key: 'k' }]],
    ['an item without a scope', [{ key: 'k', enabled: true }]],
    ['an empty key', [{ scope: 's', key: '', enabled: true }]],
    ['a scope that is no text', [{ scope: 1, key: 'k', enabled: true }]],
    ['a key that is too long', [{ scope: 's', key: 'k'.repeat(256), enabled: true }]],
    ['one good item and one that is none', [attribute('download', false), {}]],
    ['two items about the same thing', [attribute('download', false), attribute('download', true)]],
    ['more than a hundred', many(101)],
  ])('are refused: %s', (_, raw) => {
    expect(() => parseAttributes(raw)).toThrow(new SharingFailed('attributes-invalid'));
  });

  it('are at most a hundred', () => {
    expect(parseAttributes(many(100))).toHaveLength(100);
  });

  it('are either read or refused, and stored so that they read back', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.anything(),
          fc.array(fc.record({ scope: fc.string(), key: fc.string(), value: fc.anything() })),
        ),
        (raw) => {
          const attributes = attributesUnlessRefused(raw);
          if (attributes === undefined) return;
          expect(attributesFromText(attributesText(attributes))).toEqual(attributes);
        },
      ),
    );
  });
});

describe('stored attributes', () => {
  it('are null for a share without attributes', () => {
    expect(attributesText([])).toBeNull();
    expect(attributesFromText(null)).toEqual([]);
  });

  it('are shown as the JSON that clients know', () => {
    expect(attributesText([attribute('download', false)])).toBe(
      '[{"scope":"permissions","key":"download","enabled":false}]',
    );
  });
});

it('are unknown unless they are the download or a permission', () => {
  const known = [attribute('download', false), attribute('read', true, 'ownCloud')];
  const unknown = [
    attribute('print', true),
    attribute('download', true, 'documents'),
    attribute('toString', true, 'ownCloud'),
  ];
  expect(unknownAmong([...known, ...unknown])).toEqual(unknown);
});

describe('permissions as attributes', () => {
  it('are the sum of the enabled ones of their scope', () => {
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
    expect(permissionsFromAttributes([own('read', false)])).toBe(0);
  });

  it('are missing if no attribute has their scope', () => {
    expect(permissionsFromAttributes([attribute('read', true)])).toBeUndefined();
    expect(permissionsFromAttributes([])).toBeUndefined();
  });
});

describe('attributes of several covering shares', () => {
  const on = attribute('download', true);
  const off = attribute('download', false);
  const other = attribute('print', false);

  it('are merged: an enabled one wins', () => {
    expect(mergeAttributes([[off, other], [on]])).toEqual([on, other]);
    expect(mergeAttributes([[on], [off]])).toEqual([on]);
    expect(mergeAttributes([])).toEqual([]);
  });

  it('are repeated if all shares have the same value', () => {
    expect(repeats([off, other], [off])).toBe(true);
    expect(repeats([on], [off])).toBe(false);
    expect(repeats([], [off])).toBe(false);
    expect(repeats([], [])).toBe(true);
    expect(repeats([attribute('download', 'true')], [on])).toBe(true);
  });
});
