import type { OcsValue } from './value';

/** Printable ASCII that needs no escape in the dialect below, but for slashes. */
const PLAIN = /^[ !#-;=?-[\]-~]*$/;
/** Characters beside slashes that only this dialect escapes. */
const RARE = /[<>\u007f-\uffff]/;
const EACH_RARE = new RegExp(RARE, 'g');

/** A JSON string as deployed servers write it: `/`, `<`, `>` and everything beyond ASCII are escaped. */
export function escapedJson(text: string): string {
  // Nearly every string of a share list: no escape, or that of slashes only.
  if (PLAIN.test(text)) return text.includes('/') ? `"${text.replaceAll('/', '\\/')}"` : `"${text}"`;
  return jsonOf(text);
}

/**
 * One line of JSON for plain objects, lists and scalars, with the escapes of `jsonText`. Fields that are undefined are left
 * out; an empty object stays one. Much faster than `writeJson`: the engine writes all of it in one go.
 */
export function jsonOf(value: object | string): string {
  const json = JSON.stringify(value).replaceAll('/', '\\/');
  return RARE.test(json) ? json.replace(EACH_RARE, escapeOf) : json;
}

const escapeOf = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** One line of JSON; an empty map is written `[]`, as clients of this API expect. */
export function writeJson(value: OcsValue): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return escapedJson(value);
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`;
  const entries = Object.entries(value);
  if (entries.length === 0) return '[]';
  return `{${entries.map(([key, item]) => `${escapedJson(key)}:${writeJson(item)}`).join(',')}}`;
}
