import { XMLParser } from 'fast-xml-parser';
import fc from 'fast-check';
import type { OcsValue } from './value';
import { writeXml, xmlText } from './xml-writer';

describe('one element', () => {
  it.each<[string, OcsValue, string]>([
    ['null', null, '<k/>\n'],
    ['the empty string', '', '<k></k>\n'],
    ['true', true, '<k>1</k>\n'],
    ['false', false, '<k></k>\n'],
    ['zero', 0, '<k>0</k>\n'],
    ['a negative number', -3, '<k>-3</k>\n'],
    ['a fraction', 12.5, '<k>12.5</k>\n'],
    ['text', 'alice', '<k>alice</k>\n'],
    ['an empty list', [], '<k/>\n'],
    ['an empty map', {}, '<k/>\n'],
    ['a list', ['a', null], '<k>\n <element>a</element>\n <element/>\n</k>\n'],
    ['a map in its own order', { b: 1, a: '' }, '<k>\n <b>1</b>\n <a></a>\n</k>\n'],
    [
      'lists in lists',
      [['a'], []],
      '<k>\n <element>\n  <element>a</element>\n </element>\n <element/>\n</k>\n',
    ],
  ])('of %s', (_, value, xml) => {
    expect(writeXml('k', value, 0)).toBe(xml);
  });

  it('is indented by one space for each level', () => {
    expect(writeXml('data', { a: { b: 1 } }, 1)).toBe(' <data>\n  <a>\n   <b>1</b>\n  </a>\n </data>\n');
  });
});

describe('text', () => {
  it.each([
    ['a & b', 'a &amp; b'],
    ['<b>', '&lt;b&gt;'],
    ['"quoted"', '&quot;quoted&quot;'],
    ["it's", "it's"],
    ['Grüße, 世界 🙂', 'Grüße, 世界 🙂'],
    ['tab\there\nand there\r', 'tab\there\nand there\r'],
    [']]>', ']]&gt;'],
    ['bell\u0007 and escape\u001b', 'bell and escape'],
    ['nul\0', 'nul'],
    ['half \ud800 a pair', 'half  a pair'],
    ['not a character \uffff\ufffe', 'not a character '],
    ['\u007f stays', '\u007f stays'],
  ])('%j is written %j', (text, written) => {
    expect(xmlText(text)).toBe(written);
  });
});

const PARSER = new XMLParser({ parseTagValue: false, trimValues: false, processEntities: true });

/** Text that XML 1.0 can contain: no other control characters, no half surrogate pairs; a parser turns CR into LF. */
const readable = (text: string): string =>
  text.replace(/[^\t\n\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '');

describe('any text that is written', () => {
  it('is read back by an XML parser as the same text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (raw) => {
        const text = raw.replaceAll('\r', '');
        expect(PARSER.parse(writeXml('k', text, 0)).k).toBe(readable(text));
      }),
    );
  });

  it('is read back as the same list', () => {
    const word = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(fc.array(word, { minLength: 2, maxLength: 5 }), (items) => {
        expect(PARSER.parse(writeXml('k', items, 0)).k.element).toEqual(items);
      }),
    );
  });
});
