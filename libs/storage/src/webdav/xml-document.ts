import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { badRequest, type DavFailure } from './dav-failure';
import { isXmlText } from './xml-text';

/** An element with its namespace resolved. */
export interface XmlElement {
  readonly namespace: string;
  readonly name: string;
  readonly children: readonly XmlElement[];
  /** The text directly inside it, entities decoded. */
  readonly text: string;
}

const MAX_DEPTH = 16;
const MAX_ELEMENTS = 2000;

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  parseAttributeValue: false,
  processEntities: false,
  trimValues: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  cdataPropName: '#cdata',
});

type ParsedItem = Readonly<Record<string, unknown>>;

/**
 * Reads a request body of a few kilobytes. Document types are refused before anything is parsed, so no entity but
 * the five predefined ones and character references exists.
 * @throws DavFailure `bad-request` for anything that is not one well-formed, small element
 */
export function parseXml(body: string): XmlElement {
  const text = body.replace(/^\uFEFF/, '');
  if (!isXmlText(text)) throw badRequest('The request body holds characters that XML does not allow');
  if (/<!(?:DOCTYPE|ENTITY)/i.test(text))
    throw badRequest('Document types are not allowed in request bodies');
  const elements = new Reader().elementsOf(parseItems(text), new Map([['', '']]), 0);
  const [root] = elements;
  if (!root || elements.length > 1) throw badRequest('The request body must hold one XML element');
  return root;
}

function parseItems(text: string): ParsedItem[] {
  if (XMLValidator.validate(text) !== true) throw malformed();
  try {
    return parser.parse(text) as ParsedItem[];
  } catch {
    // The parser finds faults that the validator lets pass.
    throw malformed();
  }
}

const malformed = (): DavFailure => badRequest('The request body is not well-formed XML');

class Reader {
  private count = 0;

  elementsOf(items: readonly ParsedItem[], scope: ReadonlyMap<string, string>, depth: number): XmlElement[] {
    if (depth > MAX_DEPTH) throw badRequest('The request body is nested too deeply');
    const elements: XmlElement[] = [];
    for (const item of items) {
      const tag = Object.keys(item).find(
        (key) => key !== ':@' && !key.startsWith('#') && !key.startsWith('?'),
      );
      if (tag === undefined) continue;
      if (++this.count > MAX_ELEMENTS) throw badRequest('The request body has too many elements');
      elements.push(this.element(tag, item, scope, depth));
    }
    return elements;
  }

  private element(
    tag: string,
    item: ParsedItem,
    outer: ReadonlyMap<string, string>,
    depth: number,
  ): XmlElement {
    const scope = scopeOf((item[':@'] ?? {}) as Record<string, string>, outer);
    const content = item[tag] as ParsedItem[];
    const colon = tag.indexOf(':');
    const namespace = scope.get(colon < 0 ? '' : tag.slice(0, colon));
    if (namespace === undefined)
      throw badRequest('The request body uses a namespace prefix that it does not declare');
    return {
      namespace,
      name: tag.slice(colon + 1),
      children: this.elementsOf(content, scope, depth + 1),
      text: textOf(content),
    };
  }
}

function scopeOf(
  attributes: Record<string, string>,
  outer: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const declared = Object.entries(attributes).filter(
    ([name]) => name === 'xmlns' || name.startsWith('xmlns:'),
  );
  if (declared.length === 0) return outer;
  return new Map([
    ...outer,
    ...declared.map(([name, value]) => [name.slice(6), decodeEntities(value)] as const),
  ]);
}

function textOf(content: readonly ParsedItem[]): string {
  return content
    .map((item) => {
      if ('#text' in item) return decodeEntities(String(item['#text']));
      if ('#cdata' in item)
        return (item['#cdata'] as { '#text'?: string }[]).map((part) => part['#text'] ?? '').join('');
      return '';
    })
    .join('');
}

const PREDEFINED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The five predefined entities and character references; any other is left as it is written. */
export function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi,
    (whole, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return PREDEFINED[name] ?? whole;
      const code = hex === undefined ? Number(decimal) : parseInt(hex, 16);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
    },
  );
}
