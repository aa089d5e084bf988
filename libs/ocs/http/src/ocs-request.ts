import type { FastifyRequest } from 'fastify';
import {
  OcsParameters,
  readForm,
  readJsonObject,
  ParametersRefused,
  type OcsFormat,
  type OcsStyle,
  type OcsVersion,
  type ParameterMap,
} from '#ocs/protocol';
import { OcsFailure } from './ocs-failure';

const OCS_PATH = /^\/ocs\/v([12])\.php(?:[/?]|$)/;
/** Routes with the older response builder of deployed servers: provisioning and the check of a password. Unknown routes use it, too. */
const LEGACY_PATH = /^\/ocs\/v[12]\.php\/(?:cloud\/(?:users|groups|apps)|person)(?:[/?]|$)/;

/** Whether the request came in through one of the two OCS entry points. */
export function isOcsPath(url: string): boolean {
  return OCS_PATH.test(url);
}

export function versionOf(url: string): OcsVersion {
  return url.charCodeAt(6) === 50 ? 2 : 1;
}

export function styleOf(request: FastifyRequest): OcsStyle {
  return request.is404 || LEGACY_PATH.test(request.url) ? 'legacy' : 'app';
}

/** In lower case; `''` if there is none. */
function contentTypeOf(request: FastifyRequest): string {
  return request.headers['content-type']?.toLowerCase() ?? '';
}

export function isMultipart(request: FastifyRequest): boolean {
  return contentTypeOf(request).startsWith('multipart/form-data');
}

/** Parameters of a request, and the reason why the rest cannot be read. */
interface ReadParameters {
  readonly parameters: OcsParameters;
  readonly fault: string | undefined;
}

const PARAMETERS = Symbol('parameters');
type Read = FastifyRequest & { [PARAMETERS]?: ReadParameters };

/**
 * The request's parameters, parsed once. A body of another type than form or JSON adds none; `readMultipart` has already
 * converted multipart bodies.
 * @throws OcsFailure 400 if they cannot be read
 */
export function parametersOf(request: FastifyRequest): OcsParameters {
  const { parameters, fault } = readOnce(request);
  if (fault !== undefined) throw new OcsFailure(400, fault);
  return parameters;
}

function readOnce(request: Read): ReadParameters {
  return (request[PARAMETERS] ??= read(request, (values) => readBody(request, values)));
}

function read(request: FastifyRequest, addBody: (values: ParameterMap) => void): ReadParameters {
  const values = readForm('');
  const query = request.url.indexOf('?');
  const faults = [
    faultOf(() => query >= 0 && readForm(request.url.slice(query + 1), values)),
    faultOf(() => addBody(values)),
  ];
  const fault = faults.find((one) => one !== undefined);
  return { parameters: new OcsParameters(values), fault };
}

function faultOf(step: () => unknown): string | undefined {
  try {
    step();
  } catch (error) {
    if (!(error instanceof ParametersRefused)) throw error;
    return error.message;
  }
  return undefined;
}

function readBody(request: FastifyRequest, values: ParameterMap): void {
  if (!Buffer.isBuffer(request.body)) return;
  const type = contentTypeOf(request);
  const text = request.body.toString('utf8');
  if (type.startsWith('application/x-www-form-urlencoded')) readForm(text, values);
  else if (type.startsWith('application/json')) readJsonObject(text, values);
}

/** Reads the text fields of a multipart form, which POST allows. */
export async function readMultipart(request: Read): Promise<void> {
  const type = request.headers['content-type'];
  if (!Buffer.isBuffer(request.body) || type === undefined) return;
  const fields = new URLSearchParams();
  try {
    const body = new Uint8Array(request.body);
    const form = await new Response(body, { headers: { 'content-type': type } }).formData();
    for (const [name, value] of form.entries()) if (typeof value === 'string') fields.append(name, value);
  } catch {
    return;
  }
  request[PARAMETERS] = read(request, (values) => void readForm(fields.toString(), values));
}

/** The requested `format`; undefined if it is neither `xml` nor `json`. The Accept header is ignored. */
export function requestedFormat(request: FastifyRequest): OcsFormat | undefined {
  const format = readOnce(request).parameters.text('format');
  if (format === undefined || format === '' || format === 'xml') return 'xml';
  return format === 'json' ? 'json' : undefined;
}

/** The format of the answer: XML unless JSON was requested. */
export function formatOf(request: FastifyRequest): OcsFormat {
  return requestedFormat(request) ?? 'xml';
}
