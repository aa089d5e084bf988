import type { NodeFilter } from '#persistence';
import { badRequest, DavFailure } from './dav-failure';
import { askedProperties, type PropfindRequest } from './propfind-request';
import { parseXml, type XmlElement } from './xml-document';

/** A search below a folder: the nodes and the properties that are wanted. */
export interface SearchRequest {
  readonly wanted: PropfindRequest;
  readonly filter: SearchFilter;
  /** Maximum of entries in the reply. */
  readonly limit: number;
  /** DASL only: path of the folder that is searched, below `/remote.php/dav`, still percent-encoded. */
  readonly scope?: string;
}

/** By part of a name, or the requester's favorites. */
type SearchFilter = Exclude<NodeFilter, { by: 'nothing' | 'favorite' }> | { readonly by: 'favorite' };

const DEFAULT_LIMIT = 30;
/** Favorites are chosen by hand, so all of them are returned, up to the maximum of a reply. */
const MAX_FOUND = 1000;
const MAX_PATTERN = 255;

/**
 * Reads the body of a REPORT (ownCloud's search-files and filter-files) or a SEARCH (basicsearch of DASL, RFC 5323, for
 * display names and favorites).
 * @throws DavFailure `bad-request`; `precondition-failed` for a filter by tags, since there are no tags;
 * `not-implemented` for other reports and other conditions
 */
export function parseSearch(body: string): SearchRequest {
  const root = parseXml(body);
  switch (root.name) {
    case 'search-files':
      return searchFiles(root);
    case 'filter-files':
      return filterFiles(root);
    case 'searchrequest':
      return basicSearch(root);
    default:
      throw new DavFailure('not-implemented', 'There is no such report');
  }
}

function searchFiles(root: XmlElement): SearchRequest {
  const search = find(root, 'search');
  const part = search && textOf(search, 'pattern');
  return {
    wanted: propertiesOf(root),
    filter: { by: 'name', part: partOf(part) },
    limit: limitOf(search && textOf(search, 'limit'), DEFAULT_LIMIT),
  };
}

function filterFiles(root: XmlElement): SearchRequest {
  const rules = find(root, 'filter-rules')?.children ?? [];
  if (rules.some(({ name }) => name === 'systemtag'))
    throw new DavFailure('precondition-failed', 'Cannot filter by a tag that does not exist');
  const favorite = rules.find(({ name }) => name === 'favorite');
  if (!favorite || favorite.text.trim() === '') throw badRequest('Missing filter-rules block in request');
  const search = find(root, 'search');
  return {
    wanted: propertiesOf(root),
    filter: { by: 'favorite' },
    limit: limitOf(search && textOf(search, 'limit'), MAX_FOUND),
  };
}

function basicSearch(root: XmlElement): SearchRequest {
  const basic = find(root, 'basicsearch');
  if (!basic) throw badRequest('Expected a basicsearch element');
  const scope = find(basic, 'from')?.children.find(({ name }) => name === 'scope');
  const select = find(basic, 'select');
  const where = find(basic, 'where')?.children ?? [];
  const limit = find(basic, 'limit');
  if (where.length !== 1) throw badRequest('Expected one condition');
  return {
    wanted: select ? propertiesOf(select) : { kind: 'all', properties: [] },
    filter: conditionOf(where[0]!),
    limit: limitOf(limit && textOf(limit, 'nresults'), MAX_FOUND),
    scope: scope && textOf(scope, 'href'),
  };
}

/** Supports `like` and `eq` on the display name, and `eq` on oc:favorite. */
function conditionOf({ name, children }: XmlElement): SearchFilter {
  const property = children.find((child) => child.name === 'prop')?.children[0]?.name;
  const literal = children.find((child) => child.name === 'literal')?.text.trim() ?? '';
  if (name === 'like' && property === 'displayname' && /^%[^%_]*%$/.test(literal))
    return { by: 'name', part: partOf(literal.slice(1, -1)) };
  if (name === 'eq' && property === 'favorite' && /^(?:1|yes|true)$/i.test(literal))
    return { by: 'favorite' };
  throw new DavFailure(
    'not-implemented',
    'Only names that contain a text (like %text%) and favorites are found',
  );
}

const find = (element: XmlElement, name: string): XmlElement | undefined =>
  element.children.find((child) => child.name === name);

const textOf = (element: XmlElement, name: string): string | undefined => find(element, name)?.text.trim();

function propertiesOf(element: XmlElement): PropfindRequest {
  return find(element, 'prop') ? askedProperties(element) : { kind: 'named', properties: [] };
}

function partOf(text: string | undefined): string {
  if (!text) throw badRequest('The text to search for is empty');
  if (text.length > MAX_PATTERN)
    throw badRequest(`The text to search for may have ${MAX_PATTERN} characters`);
  // Names are stored composed.
  return text.normalize('NFC');
}

function limitOf(text: string | undefined, fallback: number): number {
  if (text === undefined || text === '') return fallback;
  if (!/^\d{1,9}$/.test(text) || Number(text) === 0) throw badRequest('The limit is not a number');
  return Math.min(Number(text), MAX_FOUND);
}
