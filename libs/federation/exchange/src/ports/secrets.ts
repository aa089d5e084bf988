/** Seals secrets that have to be sent again, and makes lookup keys, which find a secret without opening it. */
export interface Secrets {
  seal(secret: string): Buffer;
  open(sealed: Buffer): string;
  /** The same text always gives the same key. */
  lookup(secret: string): Buffer;
  /** Whether this is the lookup key of the text, in constant time. */
  matches(secret: string, key: Buffer): boolean;
}
