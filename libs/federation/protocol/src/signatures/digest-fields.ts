import { BASE64 } from './base64';
import { SignatureRefused } from './signature-refused';
import { parseDictionary } from './structured-dictionary';

/** Digest that a body must have. */
export interface BodyDigest {
  readonly algorithm: 'sha-256' | 'sha-512';
  /** Base64. */
  readonly value: string;
}

const MAX_LENGTH = 1024;
const MAX_DIGESTS = 8;

/**
 * Reads `Digest` (RFC 3230), such as `SHA-512=a/72Tp...,MD5=...`. Older algorithms are ignored.
 * @throws SignatureRefused if none is left, or one is invalid
 */
export function parseDigest(text: string): BodyDigest[] {
  const parts = text.length > MAX_LENGTH ? [] : text.split(',', MAX_DIGESTS + 1);
  if (parts.length === 0 || parts.length > MAX_DIGESTS) throw new SignatureRefused('malformed', 'digest');
  const entries = parts.map((part) => {
    const entry = /^([A-Za-z0-9-]{1,32})=([A-Za-z0-9+/=]+)$/.exec(part.trim());
    if (!entry) throw new SignatureRefused('malformed', 'digest');
    return [entry[1]!.toLowerCase(), entry[2]!] as const;
  });
  return known(entries, 'digest');
}

/**
 * Reads `Content-Digest` (RFC 9530), such as `sha-256=:dzmNuum...:`. Older algorithms are ignored.
 * @throws SignatureRefused if none is left, or one is invalid
 */
export function parseContentDigest(text: string): BodyDigest[] {
  const entries = [...parseDictionary(text, 'content-digest')].map(([algorithm, member]) => {
    if (!('bare' in member) || member.bare.kind !== 'bytes')
      throw new SignatureRefused('malformed', 'content-digest');
    return [algorithm, member.bare.value] as const;
  });
  return known(entries, 'content-digest');
}

function known(entries: readonly (readonly [string, string])[], field: string): BodyDigest[] {
  const digests = entries.flatMap(([algorithm, value]) =>
    algorithm === 'sha-256' || algorithm === 'sha-512' ? [{ algorithm, value } as const] : [],
  );
  if (digests.length === 0) throw new SignatureRefused('unsupported', field);
  if (!digests.every(({ value }) => BASE64.test(value))) throw new SignatureRefused('malformed', field);
  return digests;
}
