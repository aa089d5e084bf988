import { createHash, createPublicKey, verify, type JsonWebKey, type KeyObject } from 'node:crypto';
import { createVerifier, httpbis } from 'http-message-signatures';
import type { RecordedRequest } from '.';

type SchemeSeen = 'cavage' | 'rfc9421' | 'unsigned';

/** Findings of a strict receiver about a request. */
export interface SignatureFound {
  readonly scheme: SchemeSeen;
  readonly keyId: string;
  /** The fault; null for none. */
  readonly fault: string | null;
}

/** Returns the key with this id; undefined for none. */
export type KeyLookup = (keyId: string, scheme: SchemeSeen) => Promise<KeyObject | undefined>;

const MAX_AGE_SECONDS = 300;
const CAVAGE = /^keyId="([^"]+)",algorithm="rsa-sha512",headers="([^"]+)",signature="([^"]+)"$/;

/**
 * Checks a request as Nextcloud does, without any code of our own signing: draft-cavage is implemented here, RFC 9421 is
 * checked by http-message-signatures.
 * @param baseUrl of the receiving server
 */
export async function checkSignature(
  request: RecordedRequest,
  baseUrl: string,
  keyOf: KeyLookup,
): Promise<SignatureFound> {
  const { signature } = request.headers;
  if (signature === undefined) return { scheme: 'unsigned', keyId: '', fault: 'unsigned' };
  const { headers } = request;
  if (Math.abs(Date.now() - Date.parse(headers.date ?? '')) > MAX_AGE_SECONDS * 1000)
    return { scheme: 'unsigned', keyId: '', fault: 'date' };
  if (request.body !== '' && Number(headers['content-length']) !== Buffer.byteLength(request.body))
    return { scheme: 'unsigned', keyId: '', fault: 'content-length' };
  return headers['signature-input'] === undefined
    ? checkCavage(request, signature, keyOf)
    : checkRfc9421(request, headers['signature-input'], baseUrl, keyOf);
}

async function checkCavage(
  { method, path, headers, body }: RecordedRequest,
  signature: string,
  keyOf: KeyLookup,
): Promise<SignatureFound> {
  const [, keyId = '', list = '', value = ''] = CAVAGE.exec(signature) ?? [];
  const found = (fault: string | null): SignatureFound => ({ scheme: 'cavage', keyId, fault });
  const names = list.split(' ');
  const wanted = ['(request-target)', 'date', 'host', ...(body === '' ? [] : ['content-length', 'digest'])];
  const missing = wanted.find((name) => !names.includes(name));
  if (missing !== undefined) return found(`${missing} is not covered`);
  if (body !== '' && headers.digest !== `SHA-512=${hashOf('sha512', body)}`) return found('digest');
  const key = await keyOf(keyId, 'cavage');
  if (!key) return found('no such key');
  const lines = names.map((name) =>
    name === '(request-target)' ? `${name}: ${method.toLowerCase()} ${path}` : `${name}: ${headers[name]}`,
  );
  const isRight = verify('sha512', Buffer.from(lines.join('\n')), key, Buffer.from(value, 'base64'));
  return found(isRight ? null : 'signature');
}

async function checkRfc9421(
  { method, path, headers, body }: RecordedRequest,
  input: string,
  baseUrl: string,
  keyOf: KeyLookup,
): Promise<SignatureFound> {
  const keyId = /;keyid="([^"]+)"/.exec(input)?.[1] ?? '';
  const found = (fault: string | null): SignatureFound => ({ scheme: 'rfc9421', keyId, fault });
  if (!/^[a-z0-9]+=\([^,]+;tag="ocm"$/.test(input)) return found('not one signature with the tag ocm');
  if (body !== '' && headers['content-digest'] !== `sha-256=:${hashOf('sha256', body)}:`)
    return found('digest');
  const key = await keyOf(keyId, 'rfc9421');
  if (!key) return found('no such key');
  const message = { method, url: `${baseUrl}${path}`, headers: headers as Record<string, string> };
  const algorithm = 'ecdsa-p256-sha256';
  const covered = body === '' ? [] : ['content-digest', 'content-length'];
  const config = {
    keyLookup: () => Promise.resolve({ verify: createVerifier(key, algorithm), algs: [algorithm] }),
    requiredFields: ['@method', '@target-uri', 'date', ...covered],
    requiredParams: ['created', 'keyid', 'alg', 'tag'],
    maxAge: MAX_AGE_SECONDS,
    all: true,
  };
  const isRight = await httpbis.verifyMessage(config, message).catch(() => false);
  return found(isRight ? null : 'signature');
}

const hashOf = (name: string, body: string): string => createHash(name).update(body).digest('base64');

/**
 * Looks keys up as partners do: at the host in the key id, in `publicKey` of its discovery document or in the JWKS
 * that it names. Caches the result, as partners do.
 */
export function publishedKeys(): KeyLookup {
  const kept = new Map<string, KeyObject>();
  return async (keyId, scheme) => {
    const known = kept.get(keyId);
    if (known) return known;
    for (const [id, key] of await readKeys(new URL(keyId).origin, scheme)) kept.set(id, key);
    return kept.get(keyId);
  };
}

interface Discovered {
  readonly publicKey: { readonly keyId: string; readonly publicKeyPem: string };
  readonly jwksUri: string;
  readonly capabilities: readonly string[];
}

async function readKeys(origin: string, scheme: SchemeSeen): Promise<[string, KeyObject][]> {
  const { publicKey, jwksUri } = await readJson<Discovered>(`${origin}/.well-known/ocm`);
  if (scheme === 'cavage') return [[publicKey.keyId, createPublicKey(publicKey.publicKeyPem)]];
  const { keys } = await readJson<{ keys: (JsonWebKey & { kid: string; alg?: string })[] }>(jwksUri);
  return keys
    .filter(({ alg }) => alg === 'ES256')
    .map((key) => [key.kid, createPublicKey({ key, format: 'jwk' })]);
}

async function readJson<T>(url: string): Promise<T> {
  return (await (await fetch(url)).json()) as T;
}
