import { readEtag, readTime } from '#federation/protocol';
import { RemoteFailure, type RemoteContent } from '#federation/remote-files';
import type { ByteRange } from '#sharing';
import type { Cut } from './download';
import { notUnderstood, type AnswerHead } from './remote-failures';

/** The head of an answer with content, and the part of its body that was asked for. */
export type ContentHead = Omit<RemoteContent, 'body'> & { readonly cut: Cut };

/** Maximum number of skipped bytes if a partner sends a whole file instead of the requested part. Above it the answer is refused. */
const MAX_SKIP = 16 * 1024 * 1024;

/**
 * Reads the head of a successful answer to GET. If the partner sends the whole file, it is cut to the range; a wrong range is refused.
 * @param sizeOf is called if the answer does not say how large the file is
 * @throws RemoteFailure
 */
export async function readContentHead(
  hostKey: string,
  { status, headers }: AnswerHead,
  asked: ByteRange | undefined,
  sizeOf: () => Promise<number>,
): Promise<ContentHead> {
  if (isEncoded({ status, headers })) throw notUnderstood(hostKey, 'encoded content');
  const [etag, modified] = [headers.etag ?? headers['oc-etag'], headers['last-modified']];
  // An HTML page without either is the page of a proxy or a login: HTML files have one of them.
  if (isPage({ status, headers }) && etag === undefined && modified === undefined)
    throw notUnderstood(hostKey, 'a web page');
  // A weak ETag does not prove that the bytes are the same, so it is not used to resume or keep a content.
  const isWeak = etag?.trim().startsWith('W/');
  const mtime = readTime(modified ?? '') ?? null;
  const described = {
    etag: isWeak ? null : (readEtag(etag ?? '') ?? null),
    mtime,
    mayChangeUnseen: mayChangeUnseen(mtime, readTime(headers.date ?? '')),
  };
  if (status === 206) return { ...described, ...partOf(hostKey, headers['content-range'], asked) };
  if (status !== 200) throw notUnderstood(hostKey, `HTTP ${status}`);
  const size = lengthOf(hostKey, headers['content-length']) ?? (await sizeOf());
  return { ...described, ...allOf(hostKey, size, asked) };
}

/** Nextcloud gives a new ETag only with a new time of change, in whole seconds (federation-facts 17). */
function mayChangeUnseen(mtime: Date | null, answeredAt: Date | undefined): boolean {
  return mtime !== null && answeredAt !== undefined && mtime >= answeredAt;
}

export function isEncoded({ headers }: AnswerHead): boolean {
  return !/^(identity)?$/i.test(headers['content-encoding']?.trim() ?? '');
}

export function isPage({ headers }: AnswerHead): boolean {
  return /^text\/html\b/i.test(headers['content-type'] ?? '');
}

function allOf(
  hostKey: string,
  size: number,
  asked: ByteRange | undefined,
): Pick<ContentHead, 'size' | 'range' | 'cut'> {
  if (!asked) return { size, range: undefined, cut: { skip: 0, length: size, isAll: true } };
  if (asked.start >= size) throw new RemoteFailure('precondition-failed', hostKey, 'the file is shorter');
  if (asked.start > MAX_SKIP) throw notUnderstood(hostKey, 'all of the file for a part of it');
  const end = Math.min(asked.end, size - 1);
  const cut = { skip: asked.start, length: end - asked.start + 1, isAll: end === size - 1 };
  return { size, range: { start: asked.start, end }, cut };
}

function partOf(
  hostKey: string,
  header: string | undefined,
  asked: ByteRange | undefined,
): Pick<ContentHead, 'size' | 'range' | 'cut'> {
  const match = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/i.exec(header?.trim() ?? '');
  const [start, last, size] = (match?.slice(1) ?? []).map(Number) as [number?, number?, number?];
  const isFit =
    asked &&
    start === asked.start &&
    last !== undefined &&
    size !== undefined &&
    start <= last &&
    last < size &&
    last >= Math.min(asked.end, size - 1);
  if (!isFit) throw notUnderstood(hostKey, 'another range than the asked one');
  // sabre/dav takes the end 0 for none, so that it answers `bytes=0-0` with the whole file.
  const end = Math.min(asked.end, last);
  return { size, range: { start, end }, cut: { skip: 0, length: end - start + 1, isAll: end === last } };
}

function lengthOf(hostKey: string, header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (!/^\d{1,15}$/.test(header)) throw notUnderstood(hostKey, 'no length that is one');
  return Number(header);
}
