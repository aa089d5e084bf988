/** Values that an OCS reply can carry: JSON without undefined. */
export type OcsValue =
  null | boolean | number | string | readonly OcsValue[] | { readonly [key: string]: OcsValue };

/** Data that knows its own bytes: rendered once and kept, or written faster than the general writers could. */
export interface RenderedData {
  /** A JSON text. */
  toJson(): string;
  /** The complete element `<data>…</data>` with its indentation and line end. */
  toXml(): string;
}

/** Data that is too long to be held at once: its text in pieces, each made when the one before has left. */
export interface StreamedData {
  /** Pieces of the same text that RenderedData would give in the format. */
  pieces(format: 'xml' | 'json'): AsyncIterable<string>;
}

export function isRendered(data: OcsData): data is RenderedData {
  return typeof data === 'object' && data !== null && typeof (data as RenderedData).toXml === 'function';
}

export function isStreamed(data: OcsData): data is StreamedData {
  return typeof data === 'object' && data !== null && typeof (data as StreamedData).pieces === 'function';
}

export type OcsData = OcsValue | RenderedData | StreamedData;
