import { SecretText } from '../secret-text';
import { FederationRefused } from './federation-refusal';

/** Maximum length of a field's value, in characters. Source: federation-facts 7. */
export const LIMITS = {
  name: 255,
  id: 255,
  address: 512,
  displayName: 256,
  secret: 128,
  uri: 2048,
  word: 64,
  etag: 255,
  reason: 500,
  text: 4096,
};

const CONTROL = /\p{Cc}/u;
const MAX_WORDS = 32;

/** The members of a message, read tolerantly: absent, null and empty are the same, numbers count as texts. */
export class WireFields {
  private readonly members: Readonly<Record<string, unknown>>;

  /** @param value any parsed value; only objects have members */
  constructor(value: unknown) {
    this.members = isObject(value) ? value : {};
  }

  /** @throws FederationRefused for a value that is too long or contains control characters */
  text(name: string, maxLength: number): string | undefined {
    const value = this.value(name);
    const text = typeof value === 'number' ? String(value) : value;
    if (text === undefined || text === null || text === '') return undefined;
    if (typeof text !== 'string' || text.length > maxLength || CONTROL.test(text) || !text.isWellFormed()) {
      throw new FederationRefused('field-invalid', name);
    }
    return text;
  }

  /** Whether it is a text; it may be empty. */
  isText(name: string): boolean {
    return typeof this.value(name) === 'string';
  }

  /** Like `text`, but cuts long values instead of refusing them: for values that are only shown. */
  shown(name: string, maxLength: number): string {
    const value = this.value(name);
    return typeof value === 'string'
      ? value
          .toWellFormed()
          .replace(/\p{Cc}+/gu, ' ')
          .slice(0, maxLength)
      : '';
  }

  /** A person's name in one line, or an empty text. @throws FederationRefused if it is too long, or has more than one line */
  displayName(name: string): string {
    if (typeof this.value(name) !== 'string') return '';
    // Some characters are two units of a string.
    const text = this.text(name, 2 * LIMITS.displayName) ?? '';
    if ([...text].length > LIMITS.displayName) throw new FederationRefused('field-invalid', name);
    return text;
  }

  /** @throws FederationRefused for a secret that fits into no column or header */
  secret(name: string): SecretText | undefined {
    const text = this.text(name, LIMITS.secret);
    if (text === undefined) return undefined;
    if (!/^[\x21-\x7e]+$/.test(text)) throw new FederationRefused('field-invalid', name);
    return new SecretText(text);
  }

  /** A whole number, at least 0; undefined for anything else. */
  count(name: string): number | undefined {
    const text = this.text(name, LIMITS.word);
    return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  }

  /** Permission bits; undefined if they are missing or impossible. */
  bits(name: string): number | undefined {
    const value = this.value(name);
    const isText = typeof value === 'string' && /^\d{1,2}$/.test(value);
    const bits = typeof value === 'number' || isText ? Number(value) : 0;
    return Number.isInteger(bits) && bits >= 1 && bits <= 31 ? bits : undefined;
  }

  /** The texts of a list; other values are left out. */
  words(name: string): string[] {
    const value = this.value(name);
    if (!Array.isArray(value)) return [];
    const words = value.slice(0, MAX_WORDS).filter((word) => typeof word === 'string');
    return words.filter((word) => word.length <= LIMITS.word);
  }

  /** The texts of a list that must be complete. @throws FederationRefused for any other value */
  allWords(name: string): string[] {
    if (!this.has(name)) return [];
    const [value, words] = [this.value(name), this.words(name)];
    if (!Array.isArray(value) || words.length < value.length)
      throw new FederationRefused('field-invalid', name);
    return words;
  }

  has(name: string): boolean {
    return this.value(name) !== null && this.value(name) !== undefined;
  }

  object(name: string): WireFields {
    return new WireFields(this.value(name));
  }

  list(name: string, most = MAX_WORDS): WireFields[] {
    const value = this.value(name);
    return Array.isArray(value) ? value.slice(0, most).map((item) => new WireFields(item)) : [];
  }

  /** Reads own members of the object only, not inherited ones such as `toString`. */
  private value(name: string): unknown {
    return Object.hasOwn(this.members, name) ? this.members[name] : undefined;
  }

  /** @throws FederationRefused with those of `names` that have no value, in that order */
  require(names: readonly string[]): void {
    const missing = names.filter((name) => !this.has(name) || this.value(name) === '');
    if (missing.length > 0) throw new FederationRefused('fields-missing', missing.join(','));
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
