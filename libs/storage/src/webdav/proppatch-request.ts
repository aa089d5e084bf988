import { badRequest } from './dav-failure';
import { DAV, innerXml, propertyKey, type PropertyKey } from './property-name';
import { parseXml } from './xml-document';

/** One change of a PROPPATCH; changes are applied in order. */
export interface PropertyChange {
  readonly key: PropertyKey;
  /** New content of the property's element, as XML; null removes the property. */
  readonly value: string | null;
  /** The new content as plain text, without elements. */
  readonly text: string | null;
}

/** Reads a PROPPATCH body. @throws DavFailure `bad-request` */
export function parseProppatch(body: string): PropertyChange[] {
  const root = parseXml(body);
  if (root.namespace !== DAV || root.name !== 'propertyupdate')
    throw badRequest('Expected a propertyupdate element');
  const changes: PropertyChange[] = [];
  for (const action of root.children) {
    if (action.namespace !== DAV || (action.name !== 'set' && action.name !== 'remove')) continue;
    for (const prop of action.children) {
      if (prop.namespace !== DAV || prop.name !== 'prop') continue;
      for (const property of prop.children) {
        const key = propertyKey(property.namespace, property.name);
        const isSet = action.name === 'set';
        changes.push({
          key,
          value: isSet ? innerXml(property) : null,
          text: isSet ? property.text : null,
        });
      }
    }
  }
  if (changes.length === 0) throw badRequest('The propertyupdate changes nothing');
  return changes;
}
