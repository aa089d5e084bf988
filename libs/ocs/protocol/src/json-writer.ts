import type { OcsValue } from './value';

/** Printable ASCII that needs no escape in this dialect, except slashes. */
const PLAIN = /^[ !#-;=?-[\]-~]*$/;
/** Other characters that only this dialect escapes. */
const RARE = /[<>\u007f-\uffff]/g;

/** A JSON string in the dialect of deployed servers: `/`, `<`, `>` and everything beyond ASCII are escaped. */
export function escapedJson(text: string): string {
  // Covers nearly every string of a share list: no escapes, or only slashes.
  if (PLAIN.test(text)) return text.includes('/') ? `"${text.replaceAll('/', '\\/')}"` : `"${text}"`;
  return jsonOf(text);
}

/**
 * One line of JSON for plain objects, lists and scalars, with the escapes of `jsonText`. Undefined fields are left
 * out; an empty object stays one. It is much faster than `writeJson`, because the engine writes everything at once.
 */
export function jsonOf(value: object | string): string {
  const json = JSON.stringify(value).replaceAll('/', '\\/');
  return hasRare(json) ? json.replace(RARE, escapeOf) : json;
}

/** Takes a fifth of the time of a regular expression, and nearly no list has such a character. */
const hasRare = (json: string): boolean =>
  json.includes('<') ||
  json.includes('>') ||
  json.includes('\u007f') ||
  Buffer.byteLength(json) !== json.length;

const escapeOf = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** One line of JSON; an empty map becomes `[]`, as clients of this API expect. */
export function writeJson(value: OcsValue): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return escapedJson(value);
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`;
  const entries = Object.entries(value);
  if (entries.length === 0) return '[]';
  return `{${entries.map(([key, item]) => `${escapedJson(key)}:${writeJson(item)}`).join(',')}}`;
}
