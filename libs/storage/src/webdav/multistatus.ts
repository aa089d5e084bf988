import { DAV, DECLARED_PREFIXES, tagsOf, type PropertyKey } from './property-name';
import { escapeXml } from './xml-text';

/** Properties of one resource with a common status. */
export interface PropStat {
  readonly status: 200 | 403 | 404 | 424 | 507;
  /** Their elements, as XML. */
  readonly properties: string;
}

/** The names of properties with a common status, without their values. */
export const propStatOf = (status: PropStat['status'], keys: readonly PropertyKey[]): PropStat => ({
  status,
  properties: keys.map((key) => tagsOf(key).empty).join(''),
});

export interface MultistatusEntry {
  /** Percent-encoded path; that of a folder ends in a slash. */
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

const OPENING = `<?xml version="1.0"?>\n<d:multistatus${NAMESPACES}>`;
const CLOSING = '</d:multistatus>\n';

/** The body of a 207 reply, in the layout of deployed servers, in pieces of some 64 kB. Empty propstats are left out. */
export function* writeMultistatus(entries: Iterable<MultistatusEntry>): Generator<string, void> {
  yield (yield* pieces(OPENING, entries)) + CLOSING;
}

/** The same for entries that come in parts. */
export async function* writeMultistatusInParts(
  parts: AsyncIterable<Iterable<MultistatusEntry>>,
): AsyncGenerator<string, void> {
  let rest = OPENING;
  for await (const part of parts) rest = yield* pieces(rest, part);
  yield rest + CLOSING;
}

/** @returns the rest, which is too short for a piece */
function* pieces(begun: string, entries: Iterable<MultistatusEntry>): Generator<string, string> {
  let chunk = begun;
  for (const entry of entries) {
    chunk += writeEntry(entry);
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = '';
  }
  return chunk;
}

const statusElement = (status: PropStat['status']): string =>
  `<d:status>HTTP/1.1 ${status} ${REASONS[status]}</d:status>`;
const STATUS_ELEMENTS = {
  200: statusElement(200),
  403: statusElement(403),
  404: statusElement(404),
  424: statusElement(424),
  507: statusElement(507),
};

/** A response must contain a status, even if no property was requested. */
const NOTHING_ASKED = `<d:propstat><d:prop></d:prop>${STATUS_ELEMENTS[200]}</d:propstat>`;

function writeEntry({ href, propstats }: MultistatusEntry): string {
  let written = '';
  for (const { status, properties } of propstats)
    if (properties !== '')
      written += `<d:propstat><d:prop>${properties}</d:prop>${STATUS_ELEMENTS[status]}</d:propstat>`;
  return `<d:response><d:href>${escapeXml(href)}</d:href>${written || NOTHING_ASKED}</d:response>`;
}

/** Properties in a separate `prop` element, as in the reply to LOCK. */
export const writeProperties = (properties: PropStat['properties']): string =>
  `<?xml version="1.0" encoding="utf-8"?>\n<d:prop${NAMESPACES}>${properties}</d:prop>\n`;

/** An unfulfilled condition of RFC 4918 (section 16), with the addresses that it names. */
export interface FailedCondition {
  readonly name: string;
  readonly hrefs?: readonly string[];
}

/** The body of a 207 reply to a change that was refused as a whole because of some of its nodes. */
export function writeRefusals(
  refused: readonly {
    readonly href: string;
    readonly status: 423 | 424;
    readonly condition?: FailedCondition;
  }[],
): string {
  const responses = refused.map(({ href, status, condition }) => {
    const error = condition ? `<d:error>${writeCondition(condition)}</d:error>` : '';
    const reason = status === 423 ? 'Locked' : 'Failed Dependency';
    return `<d:response><d:href>${escapeXml(href)}</d:href><d:status>HTTP/1.1 ${status} ${reason}</d:status>${error}</d:response>`;
  });
  return `<?xml version="1.0"?>\n<d:multistatus${NAMESPACES}>${responses.join('')}</d:multistatus>\n`;
}

function writeCondition({ name, hrefs = [] }: FailedCondition): string {
  const named = hrefs.map((href) => `<d:href>${escapeXml(href)}</d:href>`).join('');
  return named === '' ? `<d:${name}/>` : `<d:${name}>${named}</d:${name}>`;
}

/** The exception for a name that is always refused: clients show its reason, and do not try again. */
export const INVALID_PATH = 'OCA\\DAV\\Connector\\Sabre\\Exception\\InvalidPath';

/** The body of a refusal, in the form that clients of deployed servers read. */
export function writeDavError(exception: string, message: string, condition?: FailedCondition): string {
  const text = escapeXml(message);
  const lines = [
    `<?xml version="1.0" encoding="utf-8"?>\n<d:error xmlns:d="${DAV}" xmlns:s="http://sabredav.org/ns">`,
    `  <s:exception>${escapeXml(exception)}</s:exception>\n  <s:message>${text}</s:message>`,
    ...(exception === INVALID_PATH
      ? [`  <o:retry xmlns:o="o:">false</o:retry>\n  <o:reason xmlns:o="o:">${text}</o:reason>`]
      : []),
    ...(condition ? [`  ${writeCondition(condition)}`] : []),
    '</d:error>\n',
  ];
  return lines.join('\n');
}
