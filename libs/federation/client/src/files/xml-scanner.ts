import { decodeEntities } from '#storage';

/** What a scanner finds, in the order of the document. */
export interface XmlListener {
  /** @param key namespace and name, with a space between them */
  opened(key: string): void;
  text(text: string): void;
  closed(): void;
}

/** A document that is not well-formed, or more than we read. */
export class XmlRefused extends Error {}

/** Longest tag, and longest text between two tags, in characters. */
const MAX_TOKEN = 64 * 1024;
const MAX_DEPTH = 32;
const NAME = /^[\p{L}_][\p{L}\p{N}._-]*(?::[\p{L}_][\p{L}\p{N}._-]*)?$/u;
const ATTRIBUTE = /\s+([^\s=]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/gy;
/** Markup that begins so ends so; an undefined start means that it is skipped. */
const SECTIONS = [
  { start: '<?', end: '?>', isText: false },
  { start: '<!--', end: '-->', isText: false },
  { start: '<![CDATA[', end: ']]>', isText: true },
] as const;

type Scope = ReadonlyMap<string, string>;

/**
 * Reads XML as it comes, in bounded memory: lists of partners can have many megabytes, for which a parser of whole
 * documents would stop everything else. Document types are refused, so no entity but the five predefined ones and
 * character references exists.
 */
export class XmlScanner {
  private rest = '';
  private readonly open: { readonly tag: string; readonly scope: Scope }[] = [];
  private hasRoot = false;

  constructor(private readonly listener: XmlListener) {}

  /** @throws XmlRefused */
  write(chunk: string): void {
    this.rest += chunk;
    let at = 0;
    for (let next = this.token(at); next > at; next = this.token(at)) at = next;
    this.rest = this.rest.slice(at);
    if (this.rest.length > MAX_TOKEN) throw new XmlRefused('a part of it is too long');
  }

  /** @throws XmlRefused for a document that has not ended */
  end(): void {
    if (!this.hasRoot || this.open.length > 0 || this.rest.trim() !== '')
      throw new XmlRefused('it ends in the middle');
  }

  /** Takes one tag, section or text at `at`. @returns where the next one begins; `at` where it is not all there yet */
  private token(at: number): number {
    const { rest } = this;
    if (at >= rest.length) return at;
    if (rest[at] !== '<') {
      const end = rest.indexOf('<', at);
      if (end > at) this.takeText(decodeEntities(rest.slice(at, end)));
      return end > at ? end : at;
    }
    // The longest beginning has nine characters.
    if (rest.length - at < 9 && !rest.includes('>', at)) return at;
    const section = SECTIONS.find(({ start }) => rest.startsWith(start, at));
    if (section) return this.takeSection(section, at);
    if (rest[at + 1] === '!') throw new XmlRefused('it has a document type');
    const end = endOfTag(rest, at);
    if (end < 0) return at;
    this.takeTag(rest.slice(at + 1, end));
    return end + 1;
  }

  private takeSection({ start, end, isText }: (typeof SECTIONS)[number], at: number): number {
    const closes = this.rest.indexOf(end, at + start.length);
    if (closes < 0) return at;
    if (isText) this.takeText(this.rest.slice(at + start.length, closes));
    return closes + end.length;
  }

  private takeText(text: string): void {
    if (this.open.length > 0) this.listener.text(text);
    else if (text.trim().replace('\uFEFF', '') !== '')
      throw new XmlRefused('it has text outside of its root');
  }

  private takeTag(inside: string): void {
    if (inside.startsWith('/')) return this.close(inside.slice(1).trimEnd());
    const isEmpty = inside.endsWith('/');
    const content = isEmpty ? inside.slice(0, -1) : inside;
    const tag = content.split(/\s/, 1)[0]!;
    if (!NAME.test(tag)) throw new XmlRefused('it is not well-formed');
    if (this.open.length === 0 && this.hasRoot) throw new XmlRefused('it has two roots');
    if (this.open.length >= MAX_DEPTH) throw new XmlRefused('it is nested too deeply');
    const scope = scopeOf(content.slice(tag.length), this.open.at(-1)?.scope ?? ROOT_SCOPE);
    this.hasRoot = true;
    this.open.push({ tag, scope });
    this.listener.opened(keyOf(tag, scope));
    if (isEmpty) this.close(tag);
  }

  private close(tag: string): void {
    if (this.open.pop()?.tag !== tag) throw new XmlRefused('it is not well-formed');
    this.listener.closed();
  }
}

const ROOT_SCOPE: Scope = new Map([['', '']]);

/** Where the tag ends that begins at `at`; -1 where it does not yet. */
function endOfTag(text: string, at: number): number {
  const first = text.indexOf('>', at);
  const quote = first < 0 ? null : /["']/.exec(text.slice(at, first));
  return quote ? endBehindQuotes(text, at + quote.index) : first;
}

/** The same from the first quote on: `>` is a letter like any other between two of them. */
function endBehindQuotes(text: string, at: number): number {
  let quote = '';
  for (let index = at; index < text.length; index++) {
    const char = text[index]!;
    if (quote) quote = char === quote ? '' : quote;
    else if (char === '>') return index;
    else if (char === '"' || char === "'") quote = char;
  }
  return -1;
}

function scopeOf(attributes: string, outer: Scope): Scope {
  if (attributes.trim() === '') return outer;
  const found = [...attributes.matchAll(ATTRIBUTE)];
  const length = found.reduce((sum, [whole]) => sum + whole.length, 0);
  if (attributes.slice(length).trim() !== '') throw new XmlRefused('it is not well-formed');
  const declared = found.filter(([, name]) => name === 'xmlns' || name!.startsWith('xmlns:'));
  if (declared.length === 0) return outer;
  const entries = declared.map(
    ([, name, double, single]) => [name!.slice(6), decodeEntities(double ?? single!)] as const,
  );
  return new Map([...outer, ...entries]);
}

function keyOf(tag: string, scope: Scope): string {
  const colon = tag.indexOf(':');
  const namespace = scope.get(colon < 0 ? '' : tag.slice(0, colon));
  if (namespace === undefined) throw new XmlRefused('it uses a prefix that it does not declare');
  return `${namespace} ${tag.slice(colon + 1)}`;
}
