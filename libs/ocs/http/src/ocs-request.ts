import type { FastifyRequest } from 'fastify';
import {
  OcsParameters,
  readForm,
  readJsonObject,
  withoutNul,
  type OcsFormat,
  type OcsStyle,
  type OcsVersion,
} from '#ocs/protocol';

const OCS_PATH = /^\/ocs\/v([12])\.php(?:[/?]|$)/;
/** Routes of deployed servers' older builder: provisioning. Whatever has no route is answered by it too. */
const LEGACY_PATH = /^\/ocs\/v[12]\.php\/cloud\/(?:users|groups|apps)(?:[/?]|$)/;

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

/** Names in the path obey the rule that other parameters do. */
export function cleanRouteParameters(request: FastifyRequest): void {
  if (!request.url.includes('%00')) return;
  const parameters = request.params as Record<string, string>;
  for (const [name, value] of Object.entries(parameters)) parameters[name] = withoutNul(value);
}

/** Lower case, `''` when there is none. */
function contentTypeOf(request: FastifyRequest): string {
  return request.headers['content-type']?.toLowerCase() ?? '';
}

export function isMultipart(request: FastifyRequest): boolean {
  return contentTypeOf(request).startsWith('multipart/form-data');
}

const parsed = new WeakMap<FastifyRequest, OcsParameters>();

/**
 * The request's parameters, parsed once. A body of another type than form or JSON adds none; multipart bodies
 * were turned into a form by `readMultipart` before.
 */
export function parametersOf(request: FastifyRequest): OcsParameters {
  const known = parsed.get(request);
  if (known) return known;
  const query = request.url.indexOf('?');
  const values = readForm(query < 0 ? '' : request.url.slice(query + 1));
  if (Buffer.isBuffer(request.body)) {
    const type = contentTypeOf(request);
    const text = request.body.toString('utf8');
    if (type.startsWith('application/x-www-form-urlencoded')) readForm(text, values);
    else if (type.startsWith('application/json')) readJsonObject(text, values);
  }
  const parameters = new OcsParameters(values);
  parsed.set(request, parameters);
  return parameters;
}

/** Reads a multipart form's text fields, as POST allows. */
export async function readMultipart(request: FastifyRequest): Promise<void> {
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
  const query = request.url.indexOf('?');
  const values = readForm(query < 0 ? '' : request.url.slice(query + 1));
  parsed.set(request, new OcsParameters(readForm(fields.toString(), values)));
}

/** `format` as asked for; undefined when it is neither `xml` nor `json`. The Accept header does not count. */
export function requestedFormat(request: FastifyRequest): OcsFormat | undefined {
  const format = parametersOf(request).text('format');
  if (format === undefined || format === '' || format === 'xml') return 'xml';
  return format === 'json' ? 'json' : undefined;
}

/** The format to answer in: XML wherever nothing usable was asked for. */
export function formatOf(request: FastifyRequest): OcsFormat {
  return requestedFormat(request) ?? 'xml';
}
