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

const REASONS = { 200: 'OK', 403: 'Forbidden', 404: 'Not Found', 424: 'Failed Dependency', 507: 'Insufficient Storage' } as const;

const NAMESPACES = Object.entries(DECLARED_PREFIXES)
  .map(([namespace, prefix]) => ` xmlns:${prefix}="${namespace}"`)
  .join('');

/** The body of a 207 reply, in the layout of deployed servers. Empty propstats are left out. */
export function writeMultistatus(entries: Iterable<MultistatusEntry>): string {
  let xml = `<?xml version="1.0"?>\n<d:multistatus${NAMESPACES}>`;
  for (const entry of entries) {
    const filled = entry.propstats.filter((propstat) => propstat.properties.length > 0);
    xml += `<d:response><d:href>${escapeXml(entry.href)}</d:href>`;
    // A response must hold a status of some kind, even when no property was asked for.
    if (filled.length === 0) xml += writePropstat({ status: 200, properties: [] });
    for (const propstat of filled) xml += writePropstat(propstat);
    xml += '</d:response>';
  }
  return `${xml}</d:multistatus>\n`;
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
