/** A parameter's raw value: text from queries and forms, any value from a JSON body. */
export type ParameterValue = null | boolean | number | string | ParameterValue[] | ParameterMap;
export interface ParameterMap {
  [key: string]: ParameterValue;
}

const MAX_PARAMETERS = 1000;
const MAX_DEPTH = 16;
/** Maximum of values in a JSON body, including nested ones: parsing and copying a hundred thousand takes too long. */
const MAX_JSON_VALUES = 10_000;

/** A map without a prototype. The engine writes and reads its values faster than those of `Object.create(null)`. */
const EmptyMap = function () {} as unknown as new () => ParameterMap;
EmptyMap.prototype = Object.create(null) as object;

/** Unreadable parameters; the message is for the caller. */
export class ParametersRefused extends Error {}

/** Decodes `%41` and `+`; bytes that are not UTF-8 become U+FFFD. */
function decodeFormText(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  return spaced.includes('%') ? percentDecode(spaced) : spaced;
}

function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    const bytes = text.replace(
      /%([0-9a-f]{2})|([\u0080-\uffff]+)/gi,
      (_, hex: string | undefined, wide: string) =>
        hex ? String.fromCharCode(parseInt(hex, 16)) : Buffer.from(wide).toString('latin1'),
    );
    return Buffer.from(bytes, 'latin1').toString('utf8');
  }
}

/** NUL cannot be stored, and a replacement would make another name. */
const NUL = '\0';
const nulRefused = (): ParametersRefused => new ParametersRefused('A parameter contains NUL');

/**
 * Reads `a=1&b[]=2&c[0][d]=3` into `target`; of a repeated name, the last value counts.
 * @throws ParametersRefused for NUL, after it has read all other parameters: the refusal has the format that they ask for
 */
export function readForm(text: string, target: ParameterMap = new EmptyMap()): ParameterMap {
  if (text === '') return target;
  let isRefused = false;
  for (const pair of text.split('&', MAX_PARAMETERS)) {
    const equals = pair.indexOf('=');
    const name = decodeFormText(equals < 0 ? pair : pair.slice(0, equals));
    if (name === '') continue;
    const value = equals < 0 ? '' : decodeFormText(pair.slice(equals + 1));
    if (name.includes(NUL) || value.includes(NUL)) isRefused = true;
    else if (name.endsWith(']')) assign(target, keysOf(name), value);
    else target[name] = value;
  }
  if (isRefused) throw nulRefused();
  return target;
}

/** Splits `a[b][]` into `['a', 'b', '']`; unclosed brackets are part of the name. */
function keysOf(name: string): string[] {
  const match = /^([^[]+)((?:\[[^[\]]*\])+)$/.exec(name);
  if (!match) return [name];
  return [match[1]!, ...match[2]!.slice(1, -1).split('][')];
}

function assign(target: ParameterMap, keys: string[], value: string): void {
  if (keys.length > MAX_DEPTH) return;
  let place = target;
  for (const key of keys.slice(0, -1)) {
    const name = key === '' ? nextIndex(place) : key;
    const inner = place[name];
    place = isMap(inner) ? inner : (place[name] = new EmptyMap());
  }
  const last = keys.at(-1)!;
  place[last === '' ? nextIndex(place) : last] = value;
}

/** The greatest index so far plus one; names are ignored. */
function nextIndex(map: ParameterMap): string {
  const indices = Object.keys(map).filter((key) => /^\d{1,9}$/.test(key));
  return String(indices.reduce((greatest, index) => Math.max(greatest, Number(index)), -1) + 1);
}

/** Whether `value` contains named values. */
function isMap(value: ParameterValue | undefined): value is ParameterMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Reads a JSON object into `target`. An empty text, other JSON, and JSON that nests too deep add nothing.
 * @throws ParametersRefused for invalid JSON, for too many values, and, after all others are read, for values with NUL
 */
export function readJsonObject(text: string, target: ParameterMap): void {
  if (text === '') return;
  if (holdsTooMuch(text)) throw new ParametersRefused('The request body holds too many values');
  const parsed = parseJson(text);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return;
  if (nestsDeeperThan(MAX_DEPTH, parsed)) return;
  let isRefused = false;
  for (const [key, value] of Object.entries(parsed as ParameterMap)) {
    if (key.includes(NUL) || holdsNul(value)) isRefused = true;
    else target[key] = clean(value);
  }
  if (isRefused) throw nulRefused();
}

function holdsNul(value: ParameterValue): boolean {
  if (typeof value === 'string') return value.includes(NUL);
  if (Array.isArray(value)) return value.some(holdsNul);
  return isMap(value) && Object.entries(value).some(([key, item]) => key.includes(NUL) || holdsNul(item));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ParametersRefused('The request body is not valid JSON');
  }
}

/**
 * Whether JSON text contains more values than allowed; empty lists and objects count twice. Lists that nest too
 * deep are not counted, because such a body adds nothing. This check costs a small part of parsing.
 */
function holdsTooMuch(text: string): boolean {
  let [count, depth] = [0, 0];
  for (let at = 0; at < text.length && count <= MAX_JSON_VALUES; at += 1) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === ',') count += 1;
    else if (character === '{' || character === '[') count += ++depth > MAX_DEPTH ? 0 : 1;
    else if (character === '}' || character === ']') depth -= 1;
  }
  return count > MAX_JSON_VALUES;
}

/** The end of the string that begins at `start`; the end of the text if it is not closed. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end > 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}

function nestsDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => nestsDeeperThan(levels - 1, item));
}

function clean(value: ParameterValue): ParameterValue {
  if (Array.isArray(value)) return value.map(clean);
  if (!isMap(value)) return value;
  const copy = new EmptyMap();
  for (const [key, item] of Object.entries(value)) copy[key] = clean(item);
  return copy;
}

/** The merged parameters of one request: query, form, JSON body; later ones win. */
export class OcsParameters {
  constructor(private readonly values: ParameterMap) {}

  has(name: string): boolean {
    return this.values[name] !== undefined && this.values[name] !== null;
  }

  raw(name: string): ParameterValue | undefined {
    return this.values[name];
  }

  /** The parameter as text: numbers and booleans of a JSON body become their form text; undefined for lists and maps. */
  text(name: string): string | undefined {
    const value = this.values[name];
    if (typeof value === 'string') return value;
    return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
  }

  /**
   * The whole number at the beginning of the text, 0 if there is none (clients rely on this cast); undefined if the parameter is missing.
   */
  integer(name: string): number | undefined {
    const value = this.values[name];
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'boolean') return value ? 1 : 0;
    if (typeof value === 'object') return Object.keys(value).length > 0 ? 1 : 0;
    return leadingInteger(String(value));
  }

  /** The texts of a list (`a[]=1&a[]=2`), or of a single value. */
  texts(name: string): string[] {
    const value = this.values[name];
    if (value === undefined || value === null) return [];
    const items = typeof value === 'object' ? Object.values(value) : [value];
    return items.filter((item) => typeof item === 'string' || typeof item === 'number').map(String);
  }
}

/** `"12abc"` is 12, `"abc"` is 0; beyond 2^53 the nearest representable limit. */
export function leadingInteger(text: string): number {
  const match = /^\s*([+-]?\d{1,40})/.exec(text);
  const number = match ? Number(match[1]) : 0;
  return Math.max(Math.min(number, Number.MAX_SAFE_INTEGER), Number.MIN_SAFE_INTEGER);
}
