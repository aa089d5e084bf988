import type { Readable } from 'node:stream';

/** Answer of a scanner about one content. */
export type ScannerAnswer =
  | { readonly kind: 'clean' }
  /** `name` is the scanner's word for it; at most MAX_FINDING_LENGTH characters without control characters. */
  | { readonly kind: 'finding'; readonly name: string }
  /** The scanner takes no content of this size, or did not look at all of it. */
  | { readonly kind: 'too-large' };

/** The same, or why there is no answer. */
export type ScanVerdict = ScannerAnswer | { readonly kind: 'unreachable'; readonly error: Error };

/** The bytes that are scanned. */
export interface ScannedContent {
  readonly body: Readable;
  /** Bytes of `body`. */
  readonly size: number;
  /** Name of the file, for scanners that judge by it. */
  readonly name: string;
}

/** A program that looks for malware in contents. */
export interface Scanner {
  /**
   * Hands a content to the scanner in constant memory.
   * @param open asked when the scanner is reached; the body is read to its end or destroyed
   * @throws ScannerFailure when it gives no answer that counts, and what reading the content fails with
   */
  scan(open: () => Promise<ScannedContent>): Promise<ScannerAnswer>;
  /** The scanner's words about itself, such as its version. @throws ScannerFailure */
  describe(): Promise<string>;
}

/** The scanner cannot be reached, or its answer says nothing about the content. */
export class ScannerFailure extends Error {}

/** The scanner ended the connection in the middle of a question. Another attempt may get an answer. */
export class ScannerHungUp extends ScannerFailure {}

const MAX_FINDING_LENGTH = 200;

/** A finding by the name that a scanner gave to it. */
export function findingOf(raw: string): ScannerAnswer {
  const name = raw.replace(/\p{Cc}+/gu, ' ').trim();
  return { kind: 'finding', name: name === '' ? 'unnamed' : name.slice(0, MAX_FINDING_LENGTH) };
}

/** The harmless content by EICAR that every scanner has to find, put together so that none finds this program. */
export const TEST_CONTENT = [
  'X5O!P%@AP[4\\PZX54(P^)7CC)7}$',
  'EICAR-STANDARD-ANTIVIRUS-TEST-FILE',
  '!$H+H*',
].join('');
