/** Values in an OCS reply: JSON without undefined. */
export type OcsValue =
  | null
  | boolean
  | number
  | string
  | readonly OcsValue[]
  | { readonly [key: string]: OcsValue };

/** Data that render themselves: rendered once and kept, or written faster than by the general writers. */
export interface RenderedData {
  /** A JSON text. */
  toJson(): string;
  /** The complete element `<data>…</data>` with its indentation and line end. */
  toXml(): string;
}

/** Data that are too long to be held at once: their text in pieces, each made after the one before was sent. */
export interface StreamedData {
  /** Pieces of the text that RenderedData would have in the format. */
  pieces(format: 'xml' | 'json'): AsyncIterable<string>;
}

export function isRendered(data: OcsData): data is RenderedData {
  return typeof data === 'object' && data !== null && typeof (data as RenderedData).toXml === 'function';
}

export function isStreamed(data: OcsData): data is StreamedData {
  return typeof data === 'object' && data !== null && typeof (data as StreamedData).pieces === 'function';
}

export type OcsData = OcsValue | RenderedData | StreamedData;
