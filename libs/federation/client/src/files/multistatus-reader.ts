import type { Readable } from 'node:stream';
import type { DavProperties } from '#federation/protocol';
import { XmlRefused, XmlScanner, type XmlListener } from './xml-scanner';

/** One entry of a multistatus. */
export interface DavResponse {
  /** The href as it was written. */
  readonly href: string;
  readonly isFolder: boolean;
  /** Status of the whole entry; undefined if its properties have the statuses. */
  readonly status: number | undefined;
  /** The properties of the entry: those with status 200 or without a status. */
  readonly properties: DavProperties;
}

/** Limits of a whole answer; its bytes are counted as received. */
export interface MultistatusLimits {
  readonly bytes: number;
  readonly entries: number;
}

const MULTISTATUS_LIMITS: MultistatusLimits = { bytes: 16 * 1024 * 1024, entries: 100_000 };

const NO_UTF8 = 'ERR_ENCODING_INVALID_ENCODED_DATA';

/** The answer is no multistatus, or is larger than the limits. */
export class MultistatusRefused extends Error {}

/**
 * Reads the answer to a PROPFIND piece by piece. Entries without an href are left out.
 * @throws MultistatusRefused, and errors of the body
 */
export async function readMultistatus(
  body: Readable,
  limits: MultistatusLimits = MULTISTATUS_LIMITS,
): Promise<readonly DavResponse[]> {
  return (await readSyncCollection(body, limits)).responses;
}

/**
 * Reads the answer to a REPORT of changes piece by piece (RFC 6578). The token is empty if there is none.
 * @throws MultistatusRefused, and errors of the body
 */
export async function readSyncCollection(
  body: Readable,
  limits: MultistatusLimits,
): Promise<{ readonly responses: readonly DavResponse[]; readonly syncToken: string }> {
  const collector = new Collector(limits.entries);
  const scanner = new XmlScanner(collector);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > limits.bytes) throw new MultistatusRefused('it is too large');
      scanner.write(decoder.decode(chunk, { stream: true }));
    }
    scanner.write(decoder.decode());
    scanner.end();
  } catch (error) {
    if (error instanceof XmlRefused) throw new MultistatusRefused(error.message);
    if ((error as { code?: unknown }).code === NO_UTF8) throw new MultistatusRefused('it is not UTF-8');
    throw error;
  }
  return collector;
}

/** The kind of the present element; `inside` for elements that are ignored. */
type Place =
  | 'multistatus'
  | 'response'
  | 'href'
  | 'propstat'
  | 'status'
  | 'whole-status'
  | 'sync-token'
  | 'prop'
  | 'property'
  | 'collection'
  | 'inside';

const COLLECTION = 'DAV: collection';
const RESOURCE_TYPE = 'DAV: resourcetype';
const CHILDREN: Readonly<Partial<Record<Place, Readonly<Record<string, Place>>>>> = {
  multistatus: { 'DAV: response': 'response', 'DAV: sync-token': 'sync-token' },
  response: { 'DAV: href': 'href', 'DAV: propstat': 'propstat', 'DAV: status': 'whole-status' },
  propstat: { 'DAV: status': 'status', 'DAV: prop': 'prop' },
};
const WITH_TEXT: readonly Place[] = ['href', 'status', 'whole-status', 'sync-token', 'property'];
/** Maximum length of a property and of an href. */
const MAX_VALUE = 16 * 1024;

interface Building {
  href: string;
  isFolder: boolean;
  status: number | undefined;
  readonly properties: Map<string, string>;
}

const emptyResponse = (): Building => ({
  href: '',
  isFolder: false,
  status: undefined,
  properties: new Map(),
});

const statusIn = (line: string): number | undefined => {
  const [, digits] = /^HTTP\/[\d.]+ (\d{3})\b/.exec(line.trim()) ?? [];
  return digits === undefined ? undefined : Number(digits);
};

/** Builds entries; the place of an element decides its meaning. */
class Collector implements XmlListener {
  readonly responses: DavResponse[] = [];
  syncToken = '';
  private readonly places: Place[] = [];
  private response = emptyResponse();
  /** Properties of the present propstat. */
  private found = { properties: new Map<string, string>(), status: '', isFolder: false };
  /** Name of the present property. */
  private key = '';
  private value = '';

  constructor(private readonly maxEntries: number) {}

  opened(key: string): void {
    const place = this.placeOf(key);
    this.places.push(place);
    if (WITH_TEXT.includes(place)) this.value = '';
    if (place === 'response') this.response = emptyResponse();
    else if (place === 'propstat') this.found = { properties: new Map(), status: '', isFolder: false };
    else if (place === 'property') this.key = key;
    else if (place === 'collection') this.found.isFolder = true;
  }

  text(text: string): void {
    if (!WITH_TEXT.includes(this.places.at(-1)!)) return;
    this.value += text;
    if (this.value.length > MAX_VALUE) throw new XmlRefused('a value in it is too long');
  }

  closed(): void {
    const place = this.places.pop();
    if (place === 'href') this.response.href ||= this.value.trim();
    else if (place === 'status') this.found.status = this.value.trim();
    else if (place === 'whole-status') this.response.status = statusIn(this.value);
    else if (place === 'sync-token') this.syncToken = this.value.trim();
    else if (place === 'property') this.found.properties.set(this.key, this.value);
    else if (place === 'propstat') this.keepFound();
    else if (place === 'response') this.keepResponse();
  }

  private placeOf(key: string): Place {
    const parent = this.places.at(-1);
    if (parent === undefined) {
      if (key !== 'DAV: multistatus') throw new XmlRefused('it is not a multistatus document');
      return 'multistatus';
    }
    if (parent === 'prop') return 'property';
    if (parent === 'property' && this.key === RESOURCE_TYPE && key === COLLECTION) return 'collection';
    return CHILDREN[parent]?.[key] ?? 'inside';
  }

  private keepFound(): void {
    const { found, response } = this;
    if (found.status !== '' && !/^HTTP\/[\d.]+ 200\b/.test(found.status)) return;
    for (const [key, value] of found.properties) response.properties.set(key, value);
    response.isFolder ||= found.isFolder;
  }

  private keepResponse(): void {
    if (this.response.href === '') return;
    if (this.responses.length >= this.maxEntries) throw new XmlRefused('it has too many entries');
    this.responses.push(this.response);
  }
}
