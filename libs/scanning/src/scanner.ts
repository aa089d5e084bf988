import type { Readable } from 'node:stream';

/** Answer of a scanner about one content. */
export type ScannerAnswer =
  | { readonly kind: 'clean' }
  /** `name` is the scanner's name for it; at most MAX_FINDING_LENGTH characters without control characters. */
  | { readonly kind: 'finding'; readonly name: string }
  /** The scanner does not accept contents of this size, or did not check all of it. */
  | { readonly kind: 'too-large' };

/** An answer, or the reason why there is none. */
export type ScanVerdict = ScannerAnswer | { readonly kind: 'unreachable'; readonly error: Error };

/** The bytes that are scanned. */
export interface ScannedContent {
  readonly body: Readable;
  /** Bytes of `body`. */
  readonly size: number;
  /** Name of the file, for scanners that use it. */
  readonly name: string;
}

/** A program that finds malware in contents. */
export interface Scanner {
  /**
   * Sends a content to the scanner in constant memory.
   * @param open called when the scanner is connected; the body is read to its end or destroyed
   * @param isRepeated whether the scanner hung up before: then bytes are sent slowly, so that its answer arrives before the next ones leave
   * @throws ScannerFailure if there is no usable answer, and errors of reading the content
   */
  scan(open: () => Promise<ScannedContent>, isRepeated?: boolean): Promise<ScannerAnswer>;
  /** The scanner's description of itself, such as its version. @throws ScannerFailure */
  describe(): Promise<string>;
}

/** The scanner cannot be reached, or its answer says nothing about the content. */
export class ScannerFailure extends Error {}

/** The scanner closed the connection during a scan. Another attempt may get an answer. */
export class ScannerHungUp extends ScannerFailure {}

const MAX_FINDING_LENGTH = 200;

/** A finding with the scanner's name for it. */
export function findingOf(raw: string): ScannerAnswer {
  const name = raw.replace(/\p{Cc}+/gu, ' ').trim();
  return { kind: 'finding', name: name === '' ? 'unnamed' : name.slice(0, MAX_FINDING_LENGTH) };
}

/** EICAR's harmless content, which every scanner has to find. It is put together here, so that scanners do not find this program. */
export const TEST_CONTENT = [
  'X5O!P%@AP[4\\PZX54(P^)7CC)7}$',
  'EICAR-STANDARD-ANTIVIRUS-TEST-FILE',
  '!$H+H*',
].join('');
