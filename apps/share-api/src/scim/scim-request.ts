import type { FastifyRequest } from 'fastify';
import {
  parseProjection,
  projected,
  ScimFailed,
  versionOf,
  type Precondition,
  type ScimList,
  type ScimProjection,
} from '#identity';
import { announcesBody, readBody } from '#platform';
import { ScimReply } from './scim-reply';

type Resource = Readonly<Record<string, unknown>>;

/** Large enough for a group of several thousand members, which is sent in one request. */
const MAX_BYTES = 1024 * 1024;
const MAX_DEPTH = 10;

/** The body of a request. @throws RequestRefused 413; ScimFailed 400 invalidSyntax */
export async function bodyOf(request: FastifyRequest): Promise<Record<string, unknown>> {
  const body = announcesBody(request.raw) ? await readBody(request, MAX_BYTES) : Buffer.alloc(0);
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) && isFlat(parsed, MAX_DEPTH))
      return parsed as Record<string, unknown>;
  } catch {
    // Invalid JSON is refused below.
  }
  throw new ScimFailed(400, 'The body is an object of JSON', 'invalidSyntax');
}

function isFlat(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((one) => isFlat(one, levels - 1));
}

export const queryOf = (request: FastifyRequest): Record<string, unknown> =>
  request.query as Record<string, unknown>;

/** Checks `If-Match`; undefined without it. */
export function preconditionOf(request: FastifyRequest): Precondition | undefined {
  const wanted = request.headers['if-match'];
  if (wanted === undefined) return undefined;
  return (resource) => {
    if (!names(wanted, versionOf(resource))) throw new ScimFailed(412, 'The resource has changed');
  };
}

/** A resource, or 304 if the client has this version. */
export function shown(request: FastifyRequest, resource: Resource): ScimReply {
  const version = versionOf(resource);
  const known = request.headers['if-none-match'];
  if (known !== undefined && names(known, version)) return new ScimReply(304, undefined, { etag: version });
  return answered(200, resource, parseProjection(queryOf(request)));
}

/** A resource after its creation or change. */
export function answered(status: 200 | 201, resource: Resource, projection: ScimProjection): ScimReply {
  const { location } = resource.meta as { location: string };
  return new ScimReply(status, projected(resource, projection), { etag: versionOf(resource), location });
}

/** A list with the requested attributes. */
export function listed(list: ScimList, projection: ScimProjection): ScimReply {
  const resources = list.Resources.map((resource) => projected(resource, projection));
  return new ScimReply(200, { ...list, Resources: resources });
}

/** Versions are weak; the mark for that is ignored in comparisons. */
function names(header: string, version: string): boolean {
  const plain = (tag: string): string => tag.trim().replace(/^W\//, '');
  return header.trim() === '*' || header.split(',').some((one) => plain(one) === plain(version));
}
