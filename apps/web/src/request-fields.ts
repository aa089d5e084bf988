import type { FastifyRequest } from 'fastify';
import { announcesBody, readBody } from '#platform';

/** Fields of a call by their names. */
export type RequestFields = Readonly<Record<string, unknown>>;

const MAX_BYTES = 16_384;

/**
 * Reads a form, or an object of JSON; no fields where a body is neither. Bodies of calls that ask for no account were read before.
 * @throws RequestRefused 413
 */
export async function fieldsOf(request: FastifyRequest): Promise<RequestFields> {
  if (!Buffer.isBuffer(request.body) && !announcesBody(request.raw)) return {};
  const body = Buffer.isBuffer(request.body) ? request.body : await readBody(request, MAX_BYTES);
  const text = body.toString('utf8', 0, MAX_BYTES);
  if (!text.trimStart().startsWith('{')) return Object.fromEntries(new URLSearchParams(text));
  try {
    return JSON.parse(text) as RequestFields;
  } catch {
    return {};
  }
}

/** A field that is a text; undefined where it is none. */
export function textField(fields: RequestFields, name: string): string | undefined {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}
