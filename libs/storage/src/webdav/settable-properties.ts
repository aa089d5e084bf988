import type { VisibleNode } from '../tree/visible-node';
import { readUnixTime } from './dav-headers';
import { DAV, OWNCLOUD, propertyKey } from './property-name';
import type { PropertyChange } from './proppatch-request';

/** Time of the last change, in seconds since 1970, by which clients set it. Source: ocs-facts 12. */
const LAST_MODIFIED = propertyKey(DAV, 'lastmodified');
const CHECKSUMS = propertyKey(OWNCLOUD, 'checksums');

/**
 * Whether a client may set a live property to this value: the time of the last change to any time, and the checksums to those that the
 * content has. Both stay as they are at partners.
 */
export function isSettable({ key, value, text }: PropertyChange, { row }: VisibleNode): boolean {
  if (row.receivedShareId !== null || value === null) return false;
  if (key === LAST_MODIFIED) return readUnixTime(text ?? '') !== undefined;
  return key === CHECKSUMS && row.checksum !== null && areAmong(value, row.checksum);
}

/** The time of the last change that the changes set; undefined if they do not. */
export function mtimeAmong(changes: readonly PropertyChange[]): Date | undefined {
  const text = changes.findLast(({ key }) => key === LAST_MODIFIED)?.text;
  return text === undefined || text === null ? undefined : readUnixTime(text);
}

/** Whether all checksums inside of an element are among the stored ones. */
function areAmong(xml: string, stored: string): boolean {
  const given = xml.replace(/<[^>]*>/g, ' ').trim();
  return given.split(/\s+/).every((one) => stored.toLowerCase().split(' ').includes(one.toLowerCase()));
}
