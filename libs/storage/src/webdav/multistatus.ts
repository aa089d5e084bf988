import { DAV, DECLARED_PREFIXES, propertyElement, type PropertyKey } from './property-name';
import { escapeXml } from './xml-text';

/** Properties of one resource that share a status. */
export interface PropStat {
  readonly status: 200 | 403 | 404 | 424 | 507;
  /** Each with the XML inside its element. */
  readonly properties: readonly (readonly [PropertyKey, string])[];
}

export interface MultistatusEntry {
  /** Percent-encoded path; a folder's ends in a slash. */
  readonly href: string;
  readonly propstats: readonly PropStat[];
}

const REASONS = {
  200: 'OK',
  403: 'Forbidden',
  404: 'Not Found',
  424: 'Failed Dependency',
  507: 'Insufficient Storage',
} as const;

const NAMESPACES = Object.entries(DECLARED_PREFIXES)
  .map(([namespace, prefix]) => ` xmlns:${prefix}="${namespace}"`)
  .join('');

const CHUNK_CHARACTERS = 64 * 1024;

/** The body of a 207 reply, in the layout of deployed servers, in pieces of some 64 kB. Empty propstats are left out. */
export function* writeMultistatus(entries: Iterable<MultistatusEntry>): Generator<string, void> {
  let chunk = `<?xml version="1.0"?>\n<d:multistatus${NAMESPACES}>`;
  for (const entry of entries) {
    chunk += writeEntry(entry);
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = '';
  }
  yield `${chunk}</d:multistatus>\n`;
}

function writeEntry({ href, propstats }: MultistatusEntry): string {
  const filled = propstats.filter((propstat) => propstat.properties.length > 0);
  // A response must hold a status of some kind, even when no property was asked for.
  const statuses = filled.length > 0 ? filled : [{ status: 200, properties: [] } as const];
  return `<d:response><d:href>${escapeXml(href)}</d:href>${statuses.map(writePropstat).join('')}</d:response>`;
}

function writePropstat({ status, properties }: PropStat): string {
  const elements = properties.map(([key, inner]) => propertyElement(key, inner)).join('');
  return `<d:propstat><d:prop>${elements}</d:prop><d:status>HTTP/1.1 ${status} ${REASONS[status]}</d:status></d:propstat>`;
}

/** The body of a refusal, as WebDAV clients of deployed servers read it. */
export function writeDavError(exception: string, message: string, condition = ''): string {
  return (
    `<?xml version="1.0" encoding="utf-8"?>\n<d:error xmlns:d="${DAV}" xmlns:s="http://sabredav.org/ns">\n` +
    `  <s:exception>${escapeXml(exception)}</s:exception>\n  <s:message>${escapeXml(message)}</s:message>\n` +
    `${condition === '' ? '' : `  <d:${condition}/>\n`}</d:error>\n`
  );
}
