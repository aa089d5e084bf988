import { BASE64 } from './base64';
import { SignatureRefused } from './signature-refused';

/** `value` is the content of a string, the digits of a number, Base64 of bytes, `1` or `0` of a boolean. */
export interface BareItem {
  readonly kind: 'string' | 'token' | 'integer' | 'decimal' | 'bytes' | 'boolean';
  readonly value: string;
}

export type Parameters = ReadonlyMap<string, BareItem>;

interface Item {
  readonly bare: BareItem;
  readonly parameters: Parameters;
}

export interface InnerList {
  readonly items: readonly Item[];
  readonly parameters: Parameters;
}

export type Member = Item | InnerList;

const MAX_LENGTH = 8 * 1024;
const MAX_ENTRIES = 32;

const KEY = /[a-z*][a-z0-9_.*-]{0,63}/y;
const STRING = /"((?:[ !\x23-\x5b\x5d-\x7e]|\\["\\])*)"/y;
const INTEGER = /-?\d{1,15}(?![\d.])/y;
const DECIMAL = /-?\d{1,12}\.\d{1,3}(?![\d.])/y;
const BYTES = /:([A-Za-z0-9+/=]*):/y;
const BOOLEAN = /\?([01])/y;
const TOKEN = /[A-Za-z*][A-Za-z0-9!#$%&'*+.^_`|~:/-]*/y;
const SPACES = / */y;
const OPTIONAL_WHITESPACE = /[ \t]*/y;

/**
 * Reads a dictionary of RFC 8941, strictly: a repeated key is refused rather than replaced.
 * @throws SignatureRefused `malformed`, naming `field`
 */
export function parseDictionary(text: string, field: string): ReadonlyMap<string, Member> {
  if (text.length > MAX_LENGTH) throw new SignatureRefused('malformed', field);
  return new DictionaryReader(text, field).dictionary();
}

/** Writes an inner list with its parameters in the one form of RFC 8941. */
export function serializeInnerList({ items, parameters }: InnerList): string {
  const inside = items.map((item) => `${serializeBare(item.bare)}${serializeParameters(item.parameters)}`);
  return `(${inside.join(' ')})${serializeParameters(parameters)}`;
}

function serializeParameters(parameters: Parameters): string {
  return [...parameters]
    .map(([key, bare]) => `;${key}${isTrue(bare) ? '' : `=${serializeBare(bare)}`}`)
    .join('');
}

function serializeBare({ kind, value }: BareItem): string {
  if (kind === 'string') return `"${value.replace(/["\\]/g, '\\$&')}"`;
  if (kind === 'integer') return String(Number(value));
  if (kind === 'decimal')
    return Number(value)
      .toFixed(3)
      .replace(/0{1,2}$/, '');
  if (kind === 'bytes') return `:${value}:`;
  return kind === 'boolean' ? `?${value}` : value;
}

const isTrue = ({ kind, value }: BareItem): boolean => kind === 'boolean' && value === '1';

const TRUE: BareItem = { kind: 'boolean', value: '1' };

class DictionaryReader {
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly field: string,
  ) {}

  dictionary(): Map<string, Member> {
    const members = new Map<string, Member>();
    this.take(SPACES);
    while (this.at < this.text.length) {
      const key = this.newKey(members);
      members.set(key, this.accept('=') ? this.member() : { bare: TRUE, parameters: this.parameters() });
      this.take(OPTIONAL_WHITESPACE);
      if (this.at === this.text.length) break;
      this.expect(',');
      this.take(OPTIONAL_WHITESPACE);
      // A comma must be followed by another member.
      if (this.at === this.text.length) this.fail();
    }
    return members;
  }

  private member(): Member {
    return this.accept('(') ? this.innerList() : this.item();
  }

  private innerList(): InnerList {
    const items: Item[] = [];
    for (this.take(SPACES); !this.accept(')');) {
      if (items.length === MAX_ENTRIES) this.fail();
      items.push(this.item());
      // Items are separated by spaces.
      if (this.take(SPACES)[0] === '' && this.text[this.at] !== ')') this.fail();
    }
    return { items, parameters: this.parameters() };
  }

  private item(): Item {
    return { bare: this.bare(), parameters: this.parameters() };
  }

  private parameters(): Map<string, BareItem> {
    const parameters = new Map<string, BareItem>();
    while (this.accept(';')) {
      this.take(SPACES);
      parameters.set(this.newKey(parameters), this.accept('=') ? this.bare() : TRUE);
    }
    return parameters;
  }

  private newKey(taken: ReadonlyMap<string, unknown>): string {
    const key = this.take(KEY)[0];
    if (taken.has(key) || taken.size === MAX_ENTRIES) this.fail();
    return key;
  }

  private bare(): BareItem {
    const first = this.text[this.at] ?? '';
    if (first === '"') return { kind: 'string', value: this.take(STRING)[1]!.replace(/\\(.)/g, '$1') };
    if (first === ':') return this.bytes();
    if (first === '?') return { kind: 'boolean', value: this.take(BOOLEAN)[1]! };
    if (/[-\d]/.test(first)) return this.number();
    return { kind: 'token', value: this.take(TOKEN)[0] };
  }

  private number(): BareItem {
    INTEGER.lastIndex = this.at;
    const isInteger = INTEGER.test(this.text);
    return isInteger
      ? { kind: 'integer', value: this.take(INTEGER)[0] }
      : { kind: 'decimal', value: this.take(DECIMAL)[0] };
  }

  private bytes(): BareItem {
    const value = this.take(BYTES)[1]!;
    if (!BASE64.test(value)) this.fail();
    return { kind: 'bytes', value };
  }

  private take(pattern: RegExp): RegExpExecArray {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text) ?? this.fail();
    this.at = pattern.lastIndex;
    return found;
  }

  private accept(letter: string): boolean {
    if (this.text[this.at] !== letter) return false;
    this.at += 1;
    return true;
  }

  private expect(letter: string): void {
    if (!this.accept(letter)) this.fail();
  }

  private fail(): never {
    throw new SignatureRefused('malformed', this.field);
  }
}
