import { CHECKSUM_ALGORITHMS } from '../blobs/content-digests';
import type { PutChecksum } from '../tree/put-content';
import { badRequest, DavFailure } from './dav-failure';
import { parseDavPath, type DavPath } from './dav-path';

/** `Depth` of a PROPFIND. Without the header, deployed servers answer for the folder and its entries. */
export function parseListingDepth(header: string | undefined): 0 | 1 | 'infinity' {
  return parseDepth(header ?? '1');
}

/** `Depth` of a COPY: a folder with or without its content. MOVE and DELETE of a folder only allow `infinity`. */
export function parseTreeDepth(header: string | undefined): 0 | 'infinity' {
  const depth = parseDepth(header ?? 'infinity');
  if (depth === 1) throw badRequest('Depth must be 0 or infinity here');
  return depth;
}

function parseDepth(header: string): 0 | 1 | 'infinity' {
  const value = header.trim().toLowerCase();
  if (value === '0') return 0;
  if (value === '1') return 1;
  if (value === 'infinity') return value;
  throw badRequest('Depth must be 0, 1 or infinity');
}

/** `Overwrite`: T by default. */
export function parseOverwrite(header: string | undefined): boolean {
  const value = (header ?? 'T').trim().toUpperCase();
  if (value !== 'T' && value !== 'F') throw badRequest('The HTTP Overwrite header should be either T or F');
  return value === 'T';
}

/**
 * `Destination`: an absolute address or path, as bytes of UTF-8 or percent-encoded. Only its path is used: behind a proxy
 * the client may know us by another host.
 * @param header its bytes, one character for each
 * @throws DavFailure `bad-request`; `forbidden` for an address outside of all trees
 */
export function parseDestination(header: string | undefined): DavPath {
  const rawPath = parseDestinationPath(header);
  try {
    return parseDavPath(rawPath);
  } catch (error) {
    if (!(error instanceof DavFailure) || error.code !== 'not-found') throw error;
    throw new DavFailure('forbidden', 'The destination is outside of the trees of files');
  }
}

/** The raw path of a `Destination`, still percent-encoded; for addresses outside of the trees of files. */
export function parseDestinationPath(header: string | undefined): string {
  if (header === undefined || header.trim() === '')
    throw badRequest('The destination header was not supplied');
  const encoded = encodeUtf8(header.trim());
  if (encoded === undefined) throw badRequest('The destination header is not UTF-8');
  const match = /^(?:https?:\/\/[^/?#]*)?(\/[^?#]*)$/i.exec(encoded);
  if (!match) throw badRequest('The destination header is not an address');
  return match[1]!;
}

// oxlint-disable-next-line no-control-regex -- the expression covers all of ASCII
const BEYOND_ASCII = /[^\u0000-\u007f]+/g;

/** Percent-encodes UTF-8 in a header whose characters are bytes; undefined if the bytes are not UTF-8. */
function encodeUtf8(header: string): string | undefined {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  try {
    return header.replace(BEYOND_ASCII, (bytes) =>
      encodeURIComponent(decoder.decode(Buffer.from(bytes, 'latin1'))),
    );
  } catch {
    return undefined;
  }
}

/** `X-OC-Mtime`, in the form of `readUnixTime`. */
export function parseMtime(header: string | undefined): Date | undefined {
  if (header === undefined) return undefined;
  const time = readUnixTime(header);
  if (!time) throw badRequest('X-OC-MTime header must be an integer (unix timestamp).');
  return time;
}

/** The beginning of the year 1, before which HTTP knows no dates. */
const FIRST_SECOND = Date.parse('0001-01-01T00:00:00Z') / 1000;

/** Seconds since 1970, negative for earlier times, with an optional fraction; undefined for another text. */
export function readUnixTime(text: string): Date | undefined {
  const match = /^(-?\d{1,11})(?:\.\d+)?$/.exec(text.trim());
  const seconds = match ? Number(match[1]) : -Infinity;
  return seconds >= FIRST_SECOND ? new Date(seconds * 1000) : undefined;
}

/** A number of bytes, such as in `OC-Total-Length`. */
export function parseSize(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (!/^\d{1,15}$/.test(header.trim())) throw badRequest('A size is a number of bytes');
  return Number(header);
}

/** `OC-Checksum`, such as `SHA1:<hex>`. Unknown algorithms are not checked. */
export function parseChecksum(header: string | undefined): PutChecksum | undefined {
  for (const part of (header ?? '').split(/\s+/)) {
    const [, name, hex] =
      /^(SHA1|MD5|ADLER32):([0-9a-f]+)$/i.exec(part)?.map((word) => word.toLowerCase()) ?? [];
    const algorithm = CHECKSUM_ALGORITHMS.find((one) => one === name);
    // Some clients write this checksum as a number, without leading zeros.
    if (algorithm) return { algorithm, digest: algorithm === 'adler32' ? hex!.padStart(8, '0') : hex! };
  }
  return undefined;
}
