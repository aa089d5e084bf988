import type { ByteRange } from '../blobs/blob-store';
import { DavFailure } from './dav-failure';

/** With more ranges than this the whole content is sent, because each range is opened separately. */
const MAX_RANGES = 32;
const SPEC = /^(\d{0,15})-(\d{0,15})$/;

/** The content has none of the requested ranges. */
export class RangeNotSatisfiable extends DavFailure {
  constructor(
    /** Size of the content in bytes. */
    readonly size: number,
  ) {
    super('range-not-satisfiable', `The content has ${size} bytes`);
  }
}

/**
 * Reads `Range` (RFC 9110, 14.2) for content of `size` bytes. Ranges that overlap or touch are joined, so no byte is sent twice;
 * all others keep their order. Other units, broken headers and too many ranges get the whole content.
 * @param limit maximum number of ranges
 * @returns undefined if the whole content has to be sent
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

/** The same, if at most one part can be sent. @throws RangeNotSatisfiable */
export function parseRange(header: string | undefined, size: number): ByteRange | undefined {
  return parseRanges(header, size, 1)?.[0];
}

/** @returns undefined if the range is behind the end */
function rangeOf(spec: string, size: number): ByteRange | 'broken' | undefined {
  const [, first, last] = SPEC.exec(spec) ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return 'broken';
  if (first === '') return Number(last) === 0 || size === 0 ? undefined : upTo(size, size - Number(last));
  if (last !== '' && Number(last) < Number(first)) return 'broken';
  if (Number(first) >= size) return undefined;
  return { start: Number(first), end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}

const upTo = (size: number, start: number): ByteRange => ({ start: Math.max(0, start), end: size - 1 });

/** Separate ranges stay unchanged; others are joined and sorted by their start. */
function apart(ranges: readonly ByteRange[]): readonly ByteRange[] {
  const joined: ByteRange[] = [];
  for (const range of ranges.toSorted((one, other) => one.start - other.start)) {
    const before = joined.at(-1);
    if (!before || range.start > before.end + 1) joined.push(range);
    else joined[joined.length - 1] = { start: before.start, end: Math.max(before.end, range.end) };
  }
  return joined.length === ranges.length ? ranges : joined;
}
