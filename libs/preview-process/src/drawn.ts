/** An encoded picture. */
export interface Drawn {
  readonly data: Buffer;
  readonly info: { readonly format: string; readonly width: number; readonly height: number };
}
