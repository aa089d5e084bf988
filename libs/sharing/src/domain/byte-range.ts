/** A part of a file's content in bytes. Both ends are included, as in a Range header. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}
