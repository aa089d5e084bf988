/** Seals secrets that have to be sent again, and makes the keys by which they are found without being opened. */
export interface Secrets {
  seal(secret: string): Buffer;
  open(sealed: Buffer): string;
  /** The same text always gives the same key. */
  lookup(secret: string): Buffer;
  /** Whether this is the key of the text, in a time that says nothing of it. */
  matches(secret: string, key: Buffer): boolean;
}
