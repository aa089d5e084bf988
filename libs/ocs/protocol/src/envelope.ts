import { escapedJson, writeJson } from './json-writer';
import { statusOf, type OcsVersion } from './status';
import { isRendered, type OcsValue, type RenderedData } from './value';
import { writeXml, xmlText } from './xml-writer';

export type OcsFormat = 'xml' | 'json';

/**
 * The response builder of deployed servers that a route imitates: `app` (shares, capabilities, …) always
 * has totalitems and itemsperpage, `legacy` (provisioning, unknown routes, maintenance) never has them.
 */
export type OcsStyle = 'app' | 'legacy';

export interface EnvelopeHead {
  readonly style: OcsStyle;
  /** Internal code, which each version maps to the shown one. */
  readonly code: number;
  readonly message: string | null;
}

export interface Envelope extends EnvelopeHead {
  readonly data: OcsValue | RenderedData;
}

interface EnvelopeStatus {
  readonly httpStatus: number;
  readonly contentType: string;
}

/** The parts around the data of a reply. */
export interface EnvelopeFrame extends EnvelopeStatus {
  readonly before: string;
  readonly after: string;
}

export interface RenderedEnvelope extends EnvelopeStatus {
  readonly body: string;
}

const JSON_TYPE = 'application/json; charset=utf-8';
const XML_TYPES: Record<OcsStyle, string> = {
  app: 'application/xml; charset=utf-8',
  legacy: 'text/xml; charset=UTF-8',
};

/** The bytes of a reply. Source: ocs-facts 1 and 3. */
export function renderEnvelope(envelope: Envelope, version: OcsVersion, format: OcsFormat): RenderedEnvelope {
  const { httpStatus, contentType, before, after } = envelopeFrame(envelope, version, format);
  return { httpStatus, contentType, body: before + dataText(envelope.data, format) + after };
}

/** The bytes around data that are written piece by piece. */
export function envelopeFrame(envelope: EnvelopeHead, version: OcsVersion, format: OcsFormat): EnvelopeFrame {
  const { http: httpStatus, shown, ok } = statusOf(envelope.code, version);
  const word = ok ? 'ok' : 'failure';
  if (format === 'json')
    return { httpStatus, contentType: JSON_TYPE, before: jsonBefore(envelope, word, shown), after: '}}' };
  const contentType = XML_TYPES[envelope.style];
  return { httpStatus, contentType, before: xmlBefore(envelope, word, shown), after: '</ocs>\n' };
}

function dataText(data: OcsValue | RenderedData, format: OcsFormat): string {
  if (isRendered(data)) return format === 'json' ? data.toJson() : data.toXml();
  return format === 'json' ? jsonData(data) : writeXml('data', data, 1);
}

function jsonBefore(envelope: EnvelopeHead, word: string, code: number): string {
  const message = envelope.message === null ? 'null' : escapedJson(envelope.message);
  const paging = envelope.style === 'app' ? ',"totalitems":"","itemsperpage":""' : '';
  return `{"ocs":{"meta":{"status":"${word}","statuscode":${code},"message":${message}${paging}},"data":`;
}

/** Empty data is always `[]`. */
function jsonData(data: OcsValue): string {
  return data === null ? '[]' : writeJson(data);
}

function xmlBefore(envelope: EnvelopeHead, word: string, code: number): string {
  const message =
    envelope.message === null ? '  <message/>\n' : `  <message>${xmlText(envelope.message)}</message>\n`;
  const paging =
    envelope.style === 'app' ? '  <totalitems></totalitems>\n  <itemsperpage></itemsperpage>\n' : '';
  return (
    '<?xml version="1.0"?>\n<ocs>\n <meta>\n' +
    `  <status>${word}</status>\n  <statuscode>${code}</statuscode>\n${message}${paging} </meta>\n`
  );
}
