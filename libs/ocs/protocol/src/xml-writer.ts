import type { OcsValue } from './value';

const SPECIAL = /[&<>"]|[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const NEEDS_ESCAPE = /[^ !#-%'-;=?-~]/;

/** Escapes a text for an element: the four special characters become entities; characters that XML 1.0 forbids are removed. */
export function xmlText(text: string): string {
  if (!NEEDS_ESCAPE.test(text)) return text;
  return text.replace(SPECIAL, (char) => ENTITIES[char] ?? '');
}

/**
 * One element with its line end, indented by `depth` spaces.
 *
 * null and empty lists or maps become `<k/>`, the empty string and false `<k></k>`, true `<k>1</k>`; list
 * items are `element` children.
 */
export function writeXml(name: string, value: OcsValue, depth: number): string {
  return withElement('', name, value, ' '.repeat(depth));
}

/** The text with one more element behind it: adding to one text takes less time than joining many. */
function withElement(text: string, name: string, value: OcsValue, indent: string): string {
  const before = `${text}${indent}<${name}`;
  if (value === null) return `${before}/>\n`;
  if (typeof value !== 'object') return `${before}>${scalar(value)}</${name}>\n`;
  const start = `${before}>\n`;
  let inside = start;
  const deeper = `${indent} `;
  if (Array.isArray(value))
    for (const item of value as readonly OcsValue[]) inside = withElement(inside, 'element', item, deeper);
  else for (const [key, item] of Object.entries(value)) inside = withElement(inside, key, item, deeper);
  return inside === start ? `${before}/>\n` : `${inside}${indent}</${name}>\n`;
}

function scalar(value: string | number | boolean): string {
  if (typeof value === 'string') return xmlText(value);
  if (typeof value === 'number') return String(value);
  return value ? '1' : '';
}
