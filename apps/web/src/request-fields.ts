import type { FastifyRequest } from 'fastify';
import { announcesBody, readBody } from '#platform';

/** Fields of a call, by name. */
export type RequestFields = Readonly<Record<string, unknown>>;

const MAX_BYTES = 16_384;

/**
 * Reads a form or a JSON object; other bodies have no fields. Bodies of calls without an account were read earlier.
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

/** A text field; undefined for any other value. */
export function textField(fields: RequestFields, name: string): string | undefined {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}
