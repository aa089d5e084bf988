import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { WorkBudgetSpent, WorkBudget } from '#platform';
import { badRequest, DavFailure } from './dav-failure';
import { isXmlText } from './xml-text';

/** A name with its namespace resolved. */
interface XmlName {
  readonly namespace: string;
  readonly name: string;
}

export interface XmlAttribute extends XmlName {
  /** With entities decoded. */
  readonly value: string;
}

export interface XmlElement extends XmlName {
  /** Without declarations of namespaces. */
  readonly attributes: readonly XmlAttribute[];
  /** Its elements and texts in their order, with entities decoded. */
  readonly content: readonly (XmlElement | string)[];
  /** The elements directly inside it. */
  readonly children: readonly XmlElement[];
  /** The text directly inside it. */
  readonly text: string;
}

/** Namespace of the prefix `xml`, which needs no declaration; no other prefix may have it. */
export const XML = 'http://www.w3.org/XML/1998/namespace';
/** Namespace of declarations, which no prefix may have. */
const XMLNS = 'http://www.w3.org/2000/xmlns/';

const MAX_DEPTH = 16;
const MAX_ELEMENTS = 2000;
/** Maximum in the whole document; declarations of namespaces count as attributes. */
const MAX_ATTRIBUTES = 1000;
const MAX_NAME = 4096;
/** Answers and stored values declare a namespace again in each element, so that a long one would make them far larger than the request. */
const MAX_NAMESPACE = 1024;
const MAX_MS = 250;

type ParsedItem = Readonly<Record<string, unknown>>;

/**
 * Reads a request body of a few kilobytes. Document types are refused before parsing, so only
 * the five predefined entities and character references exist.
 * @param budget maximum of processor time
 * @throws DavFailure `bad-request` for anything but one small, well-formed element, including its namespaces
 */
export function parseXml(body: string, budget = new WorkBudget(MAX_MS)): XmlElement {
  const text = body.replace(/^\uFEFF/, '');
  if (!isXmlText(text)) throw badRequest('The request body holds characters that XML does not allow');
  if (/<!(?:DOCTYPE|ENTITY)/i.test(text))
    throw badRequest('Document types are not allowed in request bodies');
  try {
    return budget.turn(() => rootOf(text, budget));
  } catch (error) {
    if (error instanceof WorkBudgetSpent) throw badRequest('The request body takes too much time to read');
    throw error;
  }
}

function rootOf(text: string, budget: WorkBudget): XmlElement {
  const [root, ...more] = contentOf(parseItems(text, budget), ROOT_SCOPE, budget).filter(isElement);
  if (!root || more.length > 0) throw badRequest('The request body must hold one XML element');
  return root;
}

function parseItems(text: string, budget: WorkBudget): ParsedItem[] {
  try {
    // The parser runs first, because it checks the limits on its way; the validator reads an accepted text without a stop.
    const items = parserWith(budget).parse(text) as ParsedItem[];
    if (XMLValidator.validate(text) === true) return items;
  } catch (error) {
    if (error instanceof DavFailure || error instanceof WorkBudgetSpent) throw error;
  }
  throw malformed();
}

const malformed = (): DavFailure => badRequest('The request body is not well-formed XML');

/** A parser for one document, which stops at the limits. */
function parserWith(budget: WorkBudget): XMLParser {
  const counted = { elements: 0, attributes: 0 };
  return new XMLParser({
    preserveOrder: true,
    attributeNamePrefix: '',
    parseTagValue: false,
    parseAttributeValue: false,
    processEntities: false,
    trimValues: false,
    ignoreDeclaration: true,
    ignorePiTags: true,
    cdataPropName: '#cdata',
    jPath: false,
    maxNestedTags: MAX_DEPTH + 1,
    onDangerousProperty: (name) => name,
    updateTag: (name) => {
      budget.step();
      counted.elements += 1;
      if (counted.elements > MAX_ELEMENTS) throw badRequest('The request body has too many elements');
      if (name.length > MAX_NAME) throw badRequest('A name in the request body is too long');
      return name;
    },
    // Called for every attribute, including those without a value.
    ignoreAttributes: (name) => {
      budget.step();
      counted.attributes += 1;
      if (counted.attributes > MAX_ATTRIBUTES) throw badRequest('The request body has too many attributes');
      if (name.length > MAX_NAME) throw badRequest('A name in the request body is too long');
      return false;
    },
  });
}

/** The namespaces that an element declares; those of its parents are found through `outer`. */
interface Scope {
  readonly declared: ReadonlyMap<string, string>;
  readonly outer: Scope | null;
}

const ROOT_SCOPE: Scope = {
  declared: new Map([
    ['', ''],
    ['xml', XML],
  ]),
  outer: null,
};

function contentOf(items: readonly ParsedItem[], scope: Scope, budget: WorkBudget): (XmlElement | string)[] {
  const content: (XmlElement | string)[] = [];
  for (const item of items) {
    budget.step();
    const tag = Object.keys(item).find((key) => key !== ':@' && !key.startsWith('#') && !key.startsWith('?'));
    content.push(tag === undefined ? textOf(item) : elementOf(tag, item, scope, budget));
  }
  return content;
}

function elementOf(tag: string, item: ParsedItem, outer: Scope, budget: WorkBudget): XmlElement {
  const written = (item[':@'] ?? {}) as Record<string, string>;
  const scope = scopeOf(written, outer);
  const attributes = attributesOf(written, scope);
  const content = contentOf(item[tag] as ParsedItem[], scope, budget);
  return {
    ...resolve(tag, scope),
    attributes,
    content,
    children: content.filter(isElement),
    text: content.map((part) => (isElement(part) ? '' : part)).join(''),
  };
}

const isElement = (part: XmlElement | string): part is XmlElement => typeof part !== 'string';

/** Attributes without a prefix have no namespace. */
function attributesOf(written: Readonly<Record<string, string>>, scope: Scope): readonly XmlAttribute[] {
  const attributes = Object.entries(written)
    .filter(([name]) => !isDeclaration(name))
    .map(([name, value]) => ({
      ...(name.includes(':') ? resolve(name, scope) : { namespace: '', name }),
      value: decodeEntities(value),
    }));
  const names = new Set(attributes.map(({ namespace, name }) => `{${namespace}}${name}`));
  if (names.size < attributes.length) throw malformed();
  return attributes;
}

const isDeclaration = (attribute: string): boolean => attribute === 'xmlns' || attribute.startsWith('xmlns:');

/** The scope inside an element with these attributes. */
function scopeOf(attributes: Readonly<Record<string, string>>, outer: Scope): Scope {
  const names = Object.keys(attributes).filter(isDeclaration);
  if (names.length === 0) return outer;
  const declared = names.map((name) => [name.slice(6), decodeEntities(attributes[name]!)] as const);
  for (const [at, [prefix, namespace]] of declared.entries()) {
    if (names[at] !== 'xmlns' && (prefix === '' || prefix === 'xmlns' || namespace === '')) throw malformed();
    if ((prefix === 'xml') !== (namespace === XML) || namespace === XMLNS) throw malformed();
  }
  if (declared.some(([, namespace]) => namespace.length > MAX_NAMESPACE))
    throw badRequest('A namespace in the request body is too long');
  return { declared: new Map(declared), outer };
}

function resolve(qualified: string, scope: Scope): XmlName {
  const [name, prefix = '', ...more] = qualified.split(':').reverse();
  if (!name || more.length > 0 || (prefix === '' && qualified !== name)) throw malformed();
  for (let at: Scope | null = scope; at !== null; at = at.outer) {
    const namespace = at.declared.get(prefix);
    if (namespace !== undefined) return { namespace, name };
  }
  throw badRequest('The request body uses a namespace prefix that it does not declare');
}

function textOf(item: ParsedItem): string {
  if ('#text' in item) return decodeEntities(String(item['#text']));
  if ('#cdata' in item)
    return (item['#cdata'] as { '#text'?: string }[]).map((part) => part['#text'] ?? '').join('');
  return '';
}

const PREDEFINED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Decodes the five predefined entities and character references; others stay as they are written. */
function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi,
    (whole, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return PREDEFINED[name] ?? whole;
      const code = hex === undefined ? Number(decimal) : parseInt(hex, 16);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
    },
  );
}
