import fc from 'fast-check';
import { SETTING_MEANINGS } from './setting-meanings';
import { parseGroupList } from './list-values';
import { parseSettingValue, settingDefinition, SETTINGS, type SettingKind } from './settings';

describe('the table of settings', () => {
  it('has every setting once', () => {
    const names = SETTINGS.map(({ app, key }) => `${app}/${key}`);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(SETTINGS.map(({ app, key, kind, fallback }) => [`${app}/${key}`, kind, fallback] as const))(
    'gives %s a default of its kind',
    (_, kind, fallback) => {
      expect(parseSettingValue(kind, fallback)).toBe(fallback);
    },
  );

  it('explains exactly the existing settings to operators', () => {
    const names = SETTINGS.map(({ app, key }) => `${app}/${key}`);
    expect(Object.keys(SETTING_MEANINGS).sort()).toEqual(names.sort());
  });

  it('finds a setting only by app and key', () => {
    expect(settingDefinition('core', 'shareapi_enabled')?.fallback).toBe('yes');
    expect(settingDefinition('files', 'shareapi_enabled')).toBeUndefined();
    expect(settingDefinition('core', '__proto__')).toBeUndefined();
  });
});

describe('a value', () => {
  it.each<[SettingKind, string, string | undefined]>([
    ['yes-no', 'yes', 'yes'],
    ['yes-no', 'TRUE', 'yes'],
    ['yes-no', '1', 'yes'],
    ['yes-no', 'No', 'no'],
    ['yes-no', 'false', 'no'],
    ['yes-no', '0', 'no'],
    ['yes-no', '', undefined],
    ['yes-no', 'maybe', undefined],
    ['minutes', '1', '1'],
    ['minutes', '0', undefined],
    ['minutes', '525601', undefined],
    ['days', '1', '1'],
    ['days', '007', '7'],
    ['days', '36500', '36500'],
    ['days', '0', undefined],
    ['days', '-1', undefined],
    ['days', '36501', undefined],
    ['days', '1.5', undefined],
    ['days', '9999999', undefined],
    ['days-ahead', '0', '0'],
    ['days-ahead', '36501', undefined],
    ['count', '0', '0'],
    ['count', '65', undefined],
    ['permissions', '31', '31'],
    ['permissions', '0', undefined],
    ['permissions', '32', undefined],
    ['groups', '["a","b c"]', '["a","b c"]'],
    ['groups', ' [ "a" ] ', '["a"]'],
    ['groups', 'a, b,,', '["a","b"]'],
    ['groups', '', '[]'],
    ['groups', '["a",1]', undefined],
    ['names', '[".htaccess"]', '[".htaccess"]'],
    ['names', '.htaccess', undefined],
    ['names', '["a/b"]', undefined],
    ['patterns', '["^a+$"]', '["^a+$"]'],
    ['patterns', '["(a+)+$"]', undefined],
    ['groups', '["a"', undefined],
    ['groups', '{"a":1}', '["{\\"a\\":1}"]'],
    ['folder', '/', '/'],
    ['folder', '', '/'],
    ['folder', 'Shares', '/Shares'],
    ['folder', '//a//b/', '/a/b'],
    ['folder', '/a/../b', undefined],
    ['folder', '/a/./b', undefined],
    ['folder', '/a\nb', undefined],
    ['folder', `/${'x'.repeat(256)}`, undefined],
    ['folder', '/xxx'.repeat(300), undefined],
    ['info-field', 'email', 'email'],
    ['info-field', 'phone', undefined],
    ['text', 'x'.repeat(1024), 'x'.repeat(1024)],
    ['text', 'x'.repeat(1025), undefined],
  ])('of kind %s: %j is stored as %j', (kind, raw, stored) => {
    expect(parseSettingValue(kind, raw)).toBe(stored);
  });

  it('is stored the same if an accepted one is given again', () => {
    const kinds = fc.constantFrom(...SETTINGS.map(({ kind }) => kind));
    const raw = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.constantFrom('yes', '0', '12', 'a,b', '["a"]', '/a/b'),
      fc.array(fc.string()).map((list) => JSON.stringify(list)),
    );
    fc.assert(
      fc.property(kinds, raw, (kind, text) => {
        const stored = parseSettingValue(kind, text);
        if (stored !== undefined) expect(parseSettingValue(kind, stored)).toBe(stored);
      }),
    );
  });
});

describe('a list of groups', () => {
  it('that is longer than 64 KiB is refused', () => {
    expect(parseGroupList('x'.repeat(65_537))).toBeUndefined();
  });

  it('keeps any ids that are written as JSON', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (ids) => {
        expect(parseGroupList(JSON.stringify(ids))).toEqual(ids);
      }),
    );
  });
});
