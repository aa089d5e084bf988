import { jsonText, writeJson } from './json-writer';
import { statusOf, type OcsVersion } from './status';
import { isRendered, type OcsValue, type RenderedData } from './value';
import { writeXml, xmlText } from './xml-writer';

export type OcsFormat = 'xml' | 'json';

/**
 * Which of the two response builders of deployed servers a route imitates: `app` (shares, capabilities, …) always
 * has totalitems and itemsperpage, `legacy` (provisioning, unknown routes, maintenance) never.
 */
export type OcsStyle = 'app' | 'legacy';

export interface Envelope {
  readonly style: OcsStyle;
  /** Internal code; the wire shows what the version makes of it. */
  readonly code: number;
  readonly message: string | null;
  readonly data: OcsValue | RenderedData;
}

export interface RenderedEnvelope {
  readonly httpStatus: number;
  readonly contentType: string;
  readonly body: string;
}

const JSON_TYPE = 'application/json; charset=utf-8';
const XML_TYPES: Record<OcsStyle, string> = {
  app: 'application/xml; charset=utf-8',
  legacy: 'text/xml; charset=UTF-8',
};

/** The bytes of a reply. Source: reference/ocs-share-api 1.1 and 1.4. */
export function renderEnvelope(envelope: Envelope, version: OcsVersion, format: OcsFormat): RenderedEnvelope {
  const status = statusOf(envelope.code, version);
  const word = status.ok ? 'ok' : 'failure';
  const body =
    format === 'json' ? jsonBody(envelope, word, status.shown) : xmlBody(envelope, word, status.shown);
  const contentType = format === 'json' ? JSON_TYPE : XML_TYPES[envelope.style];
  return { httpStatus: status.http, contentType, body };
}

function jsonBody(envelope: Envelope, word: string, code: number): string {
  const message = envelope.message === null ? 'null' : jsonText(envelope.message);
  const paging = envelope.style === 'app' ? ',"totalitems":"","itemsperpage":""' : '';
  const data = isRendered(envelope.data) ? envelope.data.toJson() : jsonData(envelope.data);
  return `{"ocs":{"meta":{"status":"${word}","statuscode":${code},"message":${message}${paging}},"data":${data}}}`;
}

/** Empty data is always `[]`. */
function jsonData(data: OcsValue): string {
  return data === null ? '[]' : writeJson(data);
}

function xmlBody(envelope: Envelope, word: string, code: number): string {
  const message =
    envelope.message === null ? '  <message/>\n' : `  <message>${xmlText(envelope.message)}</message>\n`;
  const paging =
    envelope.style === 'app' ? '  <totalitems></totalitems>\n  <itemsperpage></itemsperpage>\n' : '';
  const data = isRendered(envelope.data) ? envelope.data.toXml() : writeXml('data', envelope.data, 1);
  return (
    '<?xml version="1.0"?>\n<ocs>\n <meta>\n' +
    `  <status>${word}</status>\n  <statuscode>${code}</statuscode>\n${message}${paging} </meta>\n${data}</ocs>\n`
  );
}
