/** What an OCS reply can carry: JSON without undefined. */
export type OcsValue = null | boolean | number | string | readonly OcsValue[] | { readonly [key: string]: OcsValue };

/** Data that knows its own bytes: rendered once and kept, or written faster than the general writers could. */
export interface RenderedData {
  /** A JSON text. */
  toJson(): string;
  /** The complete element `<data>…</data>` with its indentation and line end. */
  toXml(): string;
}

export function isRendered(data: OcsValue | RenderedData): data is RenderedData {
  return typeof data === 'object' && data !== null && typeof (data as RenderedData).toXml === 'function';
}
