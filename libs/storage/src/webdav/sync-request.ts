import { badRequest, DavFailure } from './dav-failure';
import { parseXml } from './xml-document';

const MAX_TOKEN = 2048;

/**
 * Reads the body of a REPORT of changes (RFC 6578).
 * @returns the token of the client; empty for everything
 * @throws DavFailure `bad-request`; `not-implemented` for other reports
 */
export function parseSyncToken(body: string): string {
  const root = parseXml(body);
  if (root.namespace !== 'DAV:' || root.name !== 'sync-collection')
    throw new DavFailure('not-implemented', 'There is no such report');
  const token = root.children.find(({ name }) => name === 'sync-token')?.text.trim();
  if (token === undefined || token.length > MAX_TOKEN) throw badRequest('The report has no sync-token');
  return token;
}
