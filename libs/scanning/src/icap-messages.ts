import { findingOf, ScannerFailure, type ScannedContent, type ScannerAnswer } from './scanner';

/** REQMOD checks a request with a content, RESPMOD an answer with one. */
type IcapMethod = 'RESPMOD' | 'REQMOD';

/** The properties of a service, from its answer to OPTIONS. */
export interface IcapOptions {
  readonly method: IcapMethod;
  /** Number of bytes that it wants first, as a preview; undefined if it wants everything at once. */
  readonly previewBytes: number | undefined;
  /** Validity of these properties. */
  readonly holdsMs: number;
  /** Description of the service by itself. */
  readonly description: string;
}

/** The head of an answer. Names of headers are in lower case. */
export interface IcapHead {
  readonly status: number;
  readonly reason: string;
  readonly headers: ReadonlyMap<string, string>;
}

const MAX_PREVIEW_BYTES = 64 * 1024;
const USUAL_TTL_SECONDS = 3600;
const MAX_TTL_SECONDS = 86_400;

/** @throws ScannerFailure for an invalid ICAP answer */
export function parseHead(text: string): IcapHead {
  const [first = '', ...lines] = text.replace(/\r\n[ \t]+/g, '\n').split('\r\n');
  const [, status, reason = ''] = /^(?:ICAP|HTTP)\/1\.[01] (\d{3})(?: (.*))?$/.exec(first) ?? [];
  if (status === undefined) throw new ScannerFailure('the answer is not of ICAP');
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  return { status: Number(status), reason, headers };
}

/** @throws ScannerFailure if the service does not exist, or scans nothing */
export function readOptions({ status, reason, headers }: IcapHead): IcapOptions {
  if (status !== 200) throw new ScannerFailure(`the ICAP server answers: ${status} ${reason}`);
  const methods = (headers.get('methods') ?? '').split(',').map((method) => method.trim());
  const method = (['RESPMOD', 'REQMOD'] as const).find((one) => methods.includes(one));
  if (!method) throw new ScannerFailure('the ICAP service takes neither RESPMOD nor REQMOD');
  const preview = wholeNumber(headers.get('preview'));
  const ttl = wholeNumber(headers.get('options-ttl')) ?? USUAL_TTL_SECONDS;
  return {
    method,
    previewBytes: preview === undefined ? undefined : Math.min(preview, MAX_PREVIEW_BYTES),
    holdsMs: Math.min(ttl, MAX_TTL_SECONDS) * 1000,
    description: headers.get('service') ?? 'an ICAP service without a name',
  };
}

const wholeNumber = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;

/** The start of a request: everything before the bytes of the content. */
export function questionHead(
  address: string,
  { method, previewBytes }: IcapOptions,
  { name, size }: Pick<ScannedContent, 'name' | 'size'>,
): string {
  const about = `content-type: application/octet-stream\r\ncontent-length: ${size}\r\n\r\n`;
  const request = `${method === 'REQMOD' ? 'PUT' : 'GET'} http://drawbridge/${encodeURIComponent(name)} HTTP/1.1\r\nhost: drawbridge\r\n`;
  const first = method === 'REQMOD' ? request + about : `${request}\r\n`;
  const second = method === 'REQMOD' ? '' : `HTTP/1.1 200 OK\r\n${about}`;
  const parts =
    method === 'REQMOD'
      ? `req-hdr=0, req-body=${first.length}`
      : `req-hdr=0, res-hdr=${first.length}, res-body=${first.length + second.length}`;
  return (
    lines(
      `${method} ${address} ICAP/1.0`,
      `Host: ${new URL(address).host}`,
      'Allow: 204',
      'Connection: close',
    ) +
    (previewBytes === undefined ? '' : lines(`Preview: ${previewBytes}`)) +
    lines(`Encapsulated: ${parts}`, '') +
    first +
    second
  );
}

/** The request for the properties of a service. */
export const optionsHead = (address: string): string =>
  lines(`OPTIONS ${address} ICAP/1.0`, `Host: ${new URL(address).host}`, 'Connection: close', '');

const lines = (...all: string[]): string => all.map((line) => `${line}\r\n`).join('');

/** Headers with names of findings, and the part of each that is the name. */
const FINDINGS: readonly (readonly [header: string, name: RegExp])[] = [
  ['x-infection-found', /Threat=([^;]+)/i],
  ['x-virus-id', /^(.+)$/s],
  ['x-virus-name', /^(.+)$/s],
  // Lines: the number of findings, and then for each its file, its name, and two numbers.
  ['x-violations-found', /^\d+\n[^\n]*\n([^\n]+)/],
];

/** A finding in the head of an answer. */
export function findingIn({ headers }: IcapHead): ScannerAnswer | undefined {
  for (const [header, part] of FINDINGS) {
    const value = headers.get(header);
    // A count of 0 means no finding.
    if (value !== undefined && value !== '0') return findingOf(part.exec(value)?.[1] ?? '');
  }
  return undefined;
}
