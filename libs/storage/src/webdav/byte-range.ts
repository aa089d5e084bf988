import type { ByteRange } from '../blobs/blob-store';
import { DavFailure } from './dav-failure';

/** With more ranges than this the whole content is sent: each is opened on its own. */
const MAX_RANGES = 32;
const SPEC = /^(\d{0,15})-(\d{0,15})$/;

/** None of the ranges that a request names is in the content. */
export class RangeNotSatisfiable extends DavFailure {
  constructor(
    /** Bytes of the content. */
    readonly size: number,
  ) {
    super('range-not-satisfiable', `The content has ${size} bytes`);
  }
}

/**
 * Reads `Range` (RFC 9110, 14.2) for content of `size` bytes. Ranges that overlap or touch are sent as one, so no byte is sent twice;
 * all others keep their order. Other units, broken headers and too many ranges are answered with the whole content.
 * @param limit so many ranges at most
 * @returns undefined when the whole content is to be sent
 * @throws RangeNotSatisfiable
 */
export function parseRanges(
  header: string | undefined,
  size: number,
  limit = MAX_RANGES,
): readonly ByteRange[] | undefined {
  const [, list] = /^bytes=(.*)$/i.exec((header ?? '').replace(/\s/g, '')) ?? [];
  const specs = list?.split(',').filter((spec) => spec !== '') ?? [];
  if (specs.length === 0 || specs.length > limit) return undefined;
  const ranges: ByteRange[] = [];
  for (const spec of specs) {
    const range = rangeOf(spec, size);
    if (range === 'broken') return undefined;
    if (range) ranges.push(range);
  }
  if (ranges.length === 0) throw new RangeNotSatisfiable(size);
  return apart(ranges);
}

/** The same where one part at most can be sent. @throws RangeNotSatisfiable */
export function parseRange(header: string | undefined, size: number): ByteRange | undefined {
  return parseRanges(header, size, 1)?.[0];
}

/** @returns undefined where the range lies behind the end */
function rangeOf(spec: string, size: number): ByteRange | 'broken' | undefined {
  const [, first, last] = SPEC.exec(spec) ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return 'broken';
  if (first === '') return Number(last) === 0 || size === 0 ? undefined : upTo(size, size - Number(last));
  if (last !== '' && Number(last) < Number(first)) return 'broken';
  if (Number(first) >= size) return undefined;
  return { start: Number(first), end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}

const upTo = (size: number, start: number): ByteRange => ({ start: Math.max(0, start), end: size - 1 });

/** Unchanged where the ranges lie apart; else joined, by where they start. */
function apart(ranges: readonly ByteRange[]): readonly ByteRange[] {
  const joined: ByteRange[] = [];
  for (const range of ranges.toSorted((one, other) => one.start - other.start)) {
    const before = joined.at(-1);
    if (!before || range.start > before.end + 1) joined.push(range);
    else joined[joined.length - 1] = { start: before.start, end: Math.max(before.end, range.end) };
  }
  return joined.length === ranges.length ? ranges : joined;
}
