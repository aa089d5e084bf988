import { badRequest } from './dav-failure';
import { DAV, innerXml } from './property-name';
import { parseXml } from './xml-document';

/** A lock, as the body of a LOCK requests it. */
export interface LockInfo {
  readonly isExclusive: boolean;
  /** Content of the `owner` element as XML; null for none. */
  readonly ownerXml: string | null;
}

const MAX_OWNER_BYTES = 4096;

/** Reads the body of a LOCK. @returns undefined for an empty one, which refreshes a lock @throws DavFailure `bad-request` */
export function parseLockInfo(body: string): LockInfo | undefined {
  if (body.trim() === '') return undefined;
  const root = parseXml(body);
  if (root.namespace !== DAV || root.name !== 'lockinfo') throw badRequest('Expected a lockinfo element');
  const inside = (name: string) =>
    root.children.find((child) => child.namespace === DAV && child.name === name);
  const has = (element: string, name: string): boolean =>
    inside(element)?.children.some((child) => child.namespace === DAV && child.name === name) ?? false;
  const isExclusive = has('lockscope', 'exclusive');
  if (isExclusive === has('lockscope', 'shared')) throw badRequest('A lock is either exclusive or shared');
  // Deployed servers make a write lock even if no type is named.
  if (inside('locktype') && !has('locktype', 'write')) throw badRequest('Only write locks are offered');
  const owner = inside('owner');
  const ownerXml = owner ? innerXml(owner).trim() : '';
  if (Buffer.byteLength(ownerXml) > MAX_OWNER_BYTES)
    throw badRequest(`The owner of a lock is described in ${MAX_OWNER_BYTES} bytes at most`);
  return { isExclusive, ownerXml: ownerXml === '' ? null : ownerXml };
}

/** Limits of requested lifetimes. */
export interface LockTimes {
  readonly defaultSeconds: number;
  readonly maxSeconds: number;
}

/**
 * `Timeout`: the first valid time, up to the maximum. As in deployed servers, 0 means the
 * default and a negative number the maximum.
 */
export function parseLockTimeout(
  header: string | undefined,
  { defaultSeconds, maxSeconds }: LockTimes,
): number {
  for (const part of (header ?? '').split(',')) {
    if (/^\s*infinite\s*$/i.test(part)) return maxSeconds;
    const seconds = /^\s*second-(-?\d{1,20})\s*$/i.exec(part)?.[1];
    if (seconds === undefined) continue;
    if (Number(seconds) < 0) return maxSeconds;
    if (Number(seconds) > 0) return Math.min(Number(seconds), maxSeconds);
  }
  return Math.min(defaultSeconds, maxSeconds);
}

/** `Lock-Token`: the address of one token; some clients omit its angle brackets. @throws DavFailure `bad-request` */
export function parseLockToken(header: string | undefined): string {
  const address = /^\s*(?:<([^<>\s]+)>|([^<>\s]+))\s*$/
    .exec(header ?? '')
    ?.slice(1)
    .find(Boolean);
  if (address === undefined) throw badRequest('UNLOCK needs a Lock-Token header');
  return address;
}
