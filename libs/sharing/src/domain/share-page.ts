import { SharingFailed } from './sharing-failed';

/** The sort key of a share in a list: lists are ordered by these members, in this order. */
export interface PageKey {
  /** Name of the shared node in the list of a folder's children; empty in every other list. */
  readonly nodeName: string;
  readonly shareType: number;
  readonly shareId: number;
}

/** A part of a list. */
export interface PageRequest {
  /** Maximum number of shares. */
  readonly limit: number;
  /** Only shares behind this place; undefined: from the start. */
  readonly after: PageKey | undefined;
}

/** Maximum limit of one page. */
const MAX_PAGE_LIMIT = 1000;

/**
 * Number of shares that are read and written at a time of a list without a limit in the request. Most lists are shorter. With more, the rows of
 * lists that are read at the same time outlive several collections of garbage.
 */
export const LIST_PART = 500;

export const FIRST_PART: PageRequest = { limit: LIST_PART, after: undefined };

/**
 * The part of a list that a request asks for; undefined if it asks for the whole list.
 *
 * @param limit text of the request: 1 to 1000
 * @param cursor from the previous reply; only together with a limit
 * @throws SharingFailed limit-invalid, cursor-invalid
 */
export function parsePage(limit: string | undefined, cursor: string | undefined): PageRequest | undefined {
  if (limit === undefined && cursor === undefined) return undefined;
  const most = limit !== undefined && /^\d{1,4}$/.test(limit) ? Number(limit) : 0;
  if (most < 1 || most > MAX_PAGE_LIMIT) throw new SharingFailed('limit-invalid');
  return { limit: most, after: cursor === undefined ? undefined : parseCursor(cursor) };
}

/** The place as an opaque text, which clients send back. */
export function cursorOf({ nodeName, shareType, shareId }: PageKey): string {
  return Buffer.from(`${shareType}.${shareId}.${nodeName}`).toString('base64url');
}

const CURSOR = /^(\d{1,3})\.(\d{1,15})\.([^/\p{Cc}]{0,255})$/u;
const MAX_CURSOR_LENGTH = 1024;

function parseCursor(raw: string): PageKey {
  const match = raw.length > MAX_CURSOR_LENGTH ? null : CURSOR.exec(Buffer.from(raw, 'base64url').toString());
  if (!match) throw new SharingFailed('cursor-invalid');
  return { nodeName: match[3]!, shareType: Number(match[1]), shareId: Number(match[2]) };
}
