import type { IncomingHttpHeaders } from 'node:http';
import { parseIf, parseOverwrite, wantedEtags, type ConditionalHeaders } from '#storage';

/**
 * Conditions of a MOVE on its destination. `If-Match` of a MOVE is about its source, so clients name the etag of the
 * overwritten file in `If: <address> (["etag"])`. An upload has no etag, so both headers mean the destination here.
 */
export function conditionsAboutDestination(headers: IncomingHttpHeaders): ConditionalHeaders {
  const header = [headers.if ?? []].flat().join(' ');
  const etags = header === '' ? [] : wantedEtags(parseIf(header)).map((etag) => `"${etag}"`);
  const ifMatch = headers['if-match'] ?? (etags.length > 0 ? etags.join(', ') : undefined);
  const ifNoneMatch = parseOverwrite(singleOf(headers.overwrite)) ? headers['if-none-match'] : '*';
  return {
    ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
    ...(ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch }),
  };
}

const singleOf = (header: string | string[] | undefined): string | undefined => [header].flat()[0];
