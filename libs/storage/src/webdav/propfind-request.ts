import { LRUCache } from 'lru-cache';
import { badRequest } from './dav-failure';
import { propertyKey, type PropertyKey } from './property-name';
import { parseXml, type XmlElement } from './xml-document';

/** The properties that a PROPFIND requests. */
export type PropfindRequest =
  | { readonly kind: 'named'; readonly properties: readonly PropertyKey[] }
  /** The default properties, and those that are named besides. */
  | { readonly kind: 'all'; readonly properties: readonly PropertyKey[] }
  /** Only the names of existing properties. */
  | { readonly kind: 'names' };

/** Maximum of named properties, because each is answered for every entry of a folder. */
const MAX_NAMED = 200;

/** Clients and partners repeat a few bodies of some hundred bytes all the time. */
const MAX_REMEMBERED_CHARACTERS = 2048;
const remembered = new LRUCache<string, PropfindRequest>({ max: 200 });

/** Reads a PROPFIND body; an empty one requests everything (RFC 4918 9.1). @throws DavFailure `bad-request` */
export function parsePropfind(body: string): PropfindRequest {
  const known = remembered.get(body);
  if (known) return known;
  const request = read(body);
  if (body.length <= MAX_REMEMBERED_CHARACTERS) remembered.set(body, request);
  return request;
}

/**
 * Elements are recognised by their names alone, since some clients omit their namespace; unknown ones are ignored
 * (RFC 4918 17). If nothing is left, everything is requested, as in deployed servers.
 */
function read(body: string): PropfindRequest {
  if (body.trim() === '') return { kind: 'all', properties: [] };
  const root = parseXml(body);
  if (root.name !== 'propfind') throw badRequest('Expected a propfind element');
  return askedProperties(root);
}

/** The properties that a propfind element requests. @throws DavFailure `bad-request` */
export function askedProperties(root: XmlElement): PropfindRequest {
  const child = (name: string) => root.children.find((element) => element.name === name);
  const keysIn = (name: string): PropertyKey[] => [
    ...new Set(child(name)?.children.map((element) => propertyKey(element.namespace, element.name))),
  ];
  const named = keysIn('prop');
  if (named.length > MAX_NAMED || keysIn('include').length > MAX_NAMED) {
    throw badRequest(`A propfind may name ${MAX_NAMED} properties at most`);
  }
  if (child('propname')) return { kind: 'names' };
  if (named.length > 0 && !child('allprop')) return { kind: 'named', properties: named };
  return { kind: 'all', properties: keysIn('include') };
}
