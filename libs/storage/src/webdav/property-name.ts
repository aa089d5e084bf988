import { escapeXml } from './xml-text';
import { XML, type XmlAttribute, type XmlElement } from './xml-document';

export const DAV = 'DAV:';
export const OWNCLOUD = 'http://owncloud.org/ns';
export const NEXTCLOUD = 'http://nextcloud.org/ns';
export const OCS = 'http://open-collaboration-services.org/ns';
const SABRE = 'http://sabredav.org/ns';

/** A property's name as one string: `{DAV:}getetag`. */
export type PropertyKey = `{${string}}${string}`;

/** Longer names of properties are neither answered nor stored, because an index and every entry of a reply contain them. */
export const MAX_KEY_BYTES = 1024;

export function propertyKey(namespace: string, name: string): PropertyKey {
  return `{${namespace}}${name}`;
}

export function splitKey(key: PropertyKey): { namespace: string; name: string } {
  const end = key.lastIndexOf('}');
  return { namespace: key.slice(1, end), name: key.slice(end + 1) };
}

/** Prefixes that a multistatus declares at its root. */
export const DECLARED_PREFIXES: Readonly<Record<string, string>> = {
  [DAV]: 'd',
  [SABRE]: 's',
  [OWNCLOUD]: 'oc',
};

/** The tags of an element with this name. A namespace that the root does not declare is declared in the element. */
export interface ElementTags {
  readonly open: string;
  readonly close: string;
  readonly empty: string;
}

/** @param attributes more attributes of the element, as XML with a blank before each */
export function tagsOf(key: PropertyKey, attributes = ''): ElementTags {
  const { namespace, name } = splitKey(key);
  const prefix = prefixOf(namespace);
  const tag = prefix === undefined ? (namespace === '' ? name : `x1:${name}`) : `${prefix}:${name}`;
  const declaration =
    prefix !== undefined ? '' : namespace === '' ? ' xmlns=""' : ` xmlns:x1="${escapeXml(namespace)}"`;
  const start = `<${tag}${declaration}${attributes}`;
  return { open: `${start}>`, close: `</${tag}>`, empty: `${start}/>` };
}

/** The prefix of a namespace that needs no declaration here. */
const prefixOf = (namespace: string): string | undefined =>
  namespace === XML ? 'xml' : DECLARED_PREFIXES[namespace];

/** An element with these tags around `inner` (XML). */
export const elementOf = ({ open, close, empty }: ElementTags, inner: string): string =>
  inner === '' ? empty : open + inner + close;

/** An element of this name around `inner` (XML). */
export const propertyElement = (key: PropertyKey, inner: string): string => elementOf(tagsOf(key), inner);

/** Content of an element, as XML with its own namespace declarations. */
export function innerXml({ content }: XmlElement): string {
  return content.map((part) => (typeof part === 'string' ? escapeXml(part) : outerXml(part))).join('');
}

function outerXml(element: XmlElement): string {
  const attributes = element.attributes.map(attributeXml).join('');
  return elementOf(tagsOf(propertyKey(element.namespace, element.name), attributes), innerXml(element));
}

/** An attribute in a start tag; its place in the tag makes its prefix unique. */
function attributeXml({ namespace, name, value }: XmlAttribute, at: number): string {
  const text = `"${escapeXml(value)}"`;
  if (namespace === '') return ` ${name}=${text}`;
  const prefix = prefixOf(namespace);
  if (prefix !== undefined) return ` ${prefix}:${name}=${text}`;
  return ` xmlns:a${at}="${escapeXml(namespace)}" a${at}:${name}=${text}`;
}
