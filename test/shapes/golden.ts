import type { WireReply } from './capture';

/**
 * Fields whose values belong to one installation or moment. Their type is compared, and whether they are null or
 * empty; every other value is a constant of the scenario.
 */
const VARIABLE = [
  ...['id', 'stime', 'storage', 'item_source', 'file_source', 'file_parent', 'token', 'url'],
  ...['free', 'used', 'total', 'relative', 'home', 'last_login', 'creation_time', 'signing-key'],
  ...['major', 'minor', 'micro', 'string', 'version', 'versionstring', 'edition', 'product', 'productname'],
  ...['hostname', 'website', 'host', 'defaultPublicLinkShareName', 'websocket'],
];
const KEYS = VARIABLE.join('|');
const JSON_VARIABLE = new RegExp(`"(${KEYS})":("(?:[^"\\\\]|\\\\.)+"|-?[0-9.]+)`, 'g');
const XML_VARIABLE = new RegExp(`<(${KEYS})>[^<]+</`, 'g');

/** The parts of a reply in which two servers must agree. */
export interface Golden {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly authenticate: string | undefined;
  /** Directives in alphabetical order, because deployed servers write them in two different orders. */
  readonly cacheControl: readonly string[];
  /** The bytes of the body with variable values masked; JSON is cut at commas so that a difference can be read. */
  readonly body: readonly string[];
}

/** The compared parts of a reply. */
export function goldenOf(reply: WireReply): Golden {
  return {
    status: reply.status,
    contentType: reply.headers['content-type'],
    authenticate: reply.headers['www-authenticate'],
    cacheControl: (reply.headers['cache-control'] ?? '').split(/, */).sort(),
    body: maskedLines(reply.body.replace(/\n+$/, '')),
  };
}

function maskedLines(body: string): string[] {
  if (body.startsWith('<')) return body.replace(XML_VARIABLE, '<$1>*</').split('\n');
  return body
    .replace(
      JSON_VARIABLE,
      (_all, key: string, value: string) => `"${key}":${value.startsWith('"') ? '"*"' : '0'}`,
    )
    .split(/(?<=,)(?=["{])/);
}
