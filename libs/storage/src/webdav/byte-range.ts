import type { ByteRange } from '../blobs/blob-store';
import { DavFailure } from './dav-failure';

/**
 * Reads `Range` for content of `size` bytes. Several ranges at once, other units and broken headers are answered
 * with the whole content, which RFC 9110 (14.2) allows.
 * @returns undefined when the whole content is to be sent
 * @throws DavFailure `range-not-satisfiable`
 */
export function parseRange(header: string | undefined, size: number): ByteRange | undefined {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec((header ?? '').replace(/\s/g, ''));
  if (!match || (match[1] === '' && match[2] === '')) return undefined;
  const [, first, last] = match as unknown as [string, string, string];
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== '' && last !== '' && Number(last) < start) return undefined;
  if (start >= size || (first === '' && Number(last) === 0)) {
    throw new DavFailure('range-not-satisfiable', `The content has ${size} bytes`);
  }
  return { start, end };
}
