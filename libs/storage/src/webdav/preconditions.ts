import { DavFailure } from './dav-failure';

/** Headers that make a request depend on the state of its resource (RFC 9110, section 13). */
export interface ConditionalHeaders {
  readonly 'if-match'?: string;
  readonly 'if-none-match'?: string;
  readonly 'if-modified-since'?: string;
  readonly 'if-unmodified-since'?: string;
}

/** Present state for the comparison; undefined if there is no such resource. */
export type Current = { readonly etag: string; readonly mtime: Date } | undefined;

/**
 * Checks a request before it is carried out.
 * @returns `not-modified` if a GET or HEAD would return what the client already has
 * @throws DavFailure `precondition-failed`
 */
export function judgePreconditions(
  headers: ConditionalHeaders,
  current: Current,
  isRead: boolean,
): 'go-on' | 'not-modified' {
  const ifMatch = headers['if-match'];
  if (ifMatch !== undefined) {
    if (!matches(ifMatch, current, true)) throw failed('If-Match');
  } else if (isAfter(current, headers['if-unmodified-since'])) {
    throw failed('If-Unmodified-Since');
  }
  const ifNoneMatch = headers['if-none-match'];
  if (ifNoneMatch !== undefined) {
    if (!matches(ifNoneMatch, current, false)) return 'go-on';
    if (isRead) return 'not-modified';
    throw failed('If-None-Match');
  }
  const since = headers['if-modified-since'];
  const unchanged = isRead && current && parseDate(since) !== undefined && !isAfter(current, since);
  return unchanged ? 'not-modified' : 'go-on';
}

/** Whether a partial reply is allowed: `If-Range` names the state of the part that the client has. */
export function rangeStillApplies(ifRange: string | undefined, current: NonNullable<Current>): boolean {
  if (ifRange === undefined) return true;
  if (ifRange.includes('"')) return ifRange.trim() === `"${current.etag}"`;
  return parseDate(ifRange) === seconds(current.mtime);
}

function matches(header: string, current: Current, strong: boolean): boolean {
  if (!current) return false;
  if (header.trim() === '*') return true;
  const tags = header.match(/(?:W\/)?"[^"]*"|[^\s,"]+/g) ?? [];
  return tags.some((tag) => {
    // Some clients send etags without quotes.
    const opaque = tag.replace(/^W\//, '').replace(/^"|"$/g, '');
    return opaque === current.etag && !(strong && tag.startsWith('W/'));
  });
}

function isAfter(current: Current, header: string | undefined): boolean {
  const since = parseDate(header);
  return current !== undefined && since !== undefined && seconds(current.mtime) > since;
}

function parseDate(header: string | undefined): number | undefined {
  const time = header === undefined ? NaN : Date.parse(header);
  return Number.isNaN(time) ? undefined : Math.floor(time / 1000);
}

const seconds = (date: Date): number => Math.floor(date.getTime() / 1000);

const failed = (header: string): DavFailure =>
  new DavFailure(
    'precondition-failed',
    `An ${header} header was specified, but the resource did not meet it`,
  );
