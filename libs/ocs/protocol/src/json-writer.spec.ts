import fc from 'fast-check';
import { jsonOf, escapedJson, writeJson } from './json-writer';
import type { OcsValue } from './value';

describe('a JSON text', () => {
  it.each([
    ['alice', '"alice"'],
    ['', '""'],
    ['/remote.php/webdav', '"\\/remote.php\\/webdav"'],
    ['<b>', '"\\u003cb\\u003e"'],
    ['Grüße', '"Gr\\u00fc\\u00dfe"'],
    ['🙂', '"\\ud83d\\ude42"'],
    ['say "hi" \\', '"say \\"hi\\" \\\\"'],
    ['a\nb\tc', '"a\\nb\\tc"'],
    ['\0\u007f', '"\\u0000\\u007f"'],
    ['\ud800', '"\\ud800"'],
  ])('of %j is %s', (text, json) => {
    expect(escapedJson(text)).toBe(json);
  });

  it('is one line of ASCII that reads back the same', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const json = escapedJson(text);
        expect(json).toMatch(/^"[ -~]*"$/);
        expect(JSON.parse(json)).toBe(text);
      }),
    );
  });
});

describe('a JSON value', () => {
  it.each<[string, OcsValue, string]>([
    ['null', null, 'null'],
    ['a boolean', false, 'false'],
    ['a number', 31, '31'],
    ['an empty list', [], '[]'],
    ['an empty map, which clients expect as a list', {}, '[]'],
    ['a map', { a: [1, null], 'b/c': '' }, '{"a":[1,null],"b\\/c":""}'],
  ])('of %s', (_, value, json) => {
    expect(writeJson(value)).toBe(json);
  });

  it('reads back the same, except empty maps', () => {
    const { value } = fc.letrec<{ value: OcsValue }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.string({ unit: 'binary' }),
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value')),
        fc.dictionary(fc.string({ minLength: 1 }), tie('value'), { minKeys: 1 }),
      ),
    }));
    fc.assert(fc.property(value, (given) => expect(JSON.parse(writeJson(given))).toEqual(given)));
  });
});

describe('a plain object that is written at once', () => {
  it.each([
    ['<', '"\\u003c"'],
    ['>', '"\\u003e"'],
    ['\u007f', '"\\u007f"'],
    ['ü', '"\\u00fc"'],
    ['😀', '"\\ud83d\\ude00"'],
  ])('escapes %j where it is the only character of its kind', (text, json) => {
    expect(jsonOf(text)).toBe(json);
    expect(jsonOf([`plain ${text}`, 'plain'])).toBe(`["plain ${json.slice(1)},"plain"]`);
  });

  it('has the same escapes as a single text, and leaves out undefined members', () => {
    expect(jsonOf({ a: 'b/c', d: undefined, e: null, 'f<': ['ü', 1], g: {} })).toBe(
      '{"a":"b\\/c","e":null,"f\\u003c":["\\u00fc",1],"g":{}}',
    );
  });

  it('has the same text for strings as jsonText', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (texts) =>
        expect(jsonOf(texts)).toBe(`[${texts.map(escapedJson).join(',')}]`),
      ),
    );
  });
});
