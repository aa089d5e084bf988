import type { OcsValue } from './value';

const SPECIAL = /[&<>"]|[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const NEEDS_ESCAPE = /[^ !#-%'-;=?-~]/;

/** Text for an element: the four special characters as entities; characters that XML 1.0 forbids are left out. */
export function xmlText(text: string): string {
  if (!NEEDS_ESCAPE.test(text)) return text;
  return text.replace(SPECIAL, (char) => ENTITIES[char] ?? '');
}

/**
 * One element with its line end, indented by `depth` spaces.
 *
 * null and empty lists or maps are written `<k/>`, the empty string and false `<k></k>`, true `<k>1</k>`; list
 * items are `element` children.
 */
export function writeXml(name: string, value: OcsValue, depth: number): string {
  const indent = ' '.repeat(depth);
  if (value === null) return `${indent}<${name}/>\n`;
  if (typeof value !== 'object') return `${indent}<${name}>${scalar(value)}</${name}>\n`;
  const children = Array.isArray(value)
    ? value.map((item: OcsValue) => writeXml('element', item, depth + 1))
    : Object.entries(value).map(([key, item]) => writeXml(key, item, depth + 1));
  if (children.length === 0) return `${indent}<${name}/>\n`;
  return `${indent}<${name}>\n${children.join('')}${indent}</${name}>\n`;
}

function scalar(value: string | number | boolean): string {
  if (typeof value === 'string') return xmlText(value);
  if (typeof value === 'number') return String(value);
  return value ? '1' : '';
}
