import { SharingFailed } from './sharing-failed';

/** The place of a share in a list. Lists are ordered by these, in this order. */
export interface PageKey {
  /** Name of the shared node where a folder's children are listed; empty in every other list. */
  readonly nodeName: string;
  readonly shareType: number;
  readonly shareId: number;
}

/** A part of a list. */
export interface PageRequest {
  /** At most so many shares. */
  readonly limit: number;
  /** Only what comes behind this place; undefined: from the start. */
  readonly after: PageKey | undefined;
}

/** The most that one page may be asked to hold. */
const MAX_PAGE_LIMIT = 1000;

/** First page of a list that the caller did not ask to be cut: most lists are no longer. */
export const WHOLE_LIST: PageRequest = { limit: 2000, after: undefined };

/** How much of a longer list is read, and in memory, at a time. */
export const LONG_LIST_PART = 500;

/**
 * The part of a list that a request asks for; undefined where it asks for all of it.
 *
 * @param limit as it was written: 1 to 1000
 * @param cursor as the reply before gave it; only together with a limit
 * @throws SharingFailed limit-invalid, cursor-invalid
 */
export function parsePage(limit: string | undefined, cursor: string | undefined): PageRequest | undefined {
  if (limit === undefined && cursor === undefined) return undefined;
  const most = limit !== undefined && /^\d{1,4}$/.test(limit) ? Number(limit) : 0;
  if (most < 1 || most > MAX_PAGE_LIMIT) throw new SharingFailed('limit-invalid');
  return { limit: most, after: cursor === undefined ? undefined : parseCursor(cursor) };
}

/** The place as clients hand it back. They need not understand it. */
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
