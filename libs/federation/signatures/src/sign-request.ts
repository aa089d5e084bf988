import { cavageText, OCM_TAG, requestTarget, signatureBase, type RequestTarget } from '#federation/protocol';
import { signText } from './algorithms';
import { digestOf } from './body-digests';
import type { SigningKey } from './signing-key';

/** A request that is about to be sent. */
export interface RequestToSign {
  readonly method: string;
  /** Exactly the address that is called, absolute. */
  readonly url: string;
  /** Exactly the bytes that are sent; empty for none. */
  readonly body: Buffer;
}

/** Names in lower case. */
export type SignatureHeaders = Readonly<Record<string, string>>;

/**
 * Signs a request by the scheme of the key: draft-cavage for RSA, RFC 9421 for others.
 *
 * @param now in UNIX milliseconds
 * @returns headers to add. `host` and `content-length` are signed as well: the sender sets them
 * from the address and the body, and sends no other `date` or digest
 */
export async function signRequest(
  request: RequestToSign,
  key: SigningKey,
  now: number,
): Promise<SignatureHeaders> {
  const target = requestTarget(request.method, request.url);
  return key.algorithm === 'rsa-sha512'
    ? signByCavage(target, request.body, key, now)
    : signByRfc9421(target, request.body, key, now);
}

/** In the form and order of Nextcloud. Source: federation-facts 10. */
async function signByCavage(
  target: RequestTarget,
  body: Buffer,
  key: SigningKey,
  now: number,
): Promise<SignatureHeaders> {
  const date = new Date(now).toUTCString();
  const digest = { digest: `SHA-512=${digestOf(body, 'sha-512')}` };
  const added = { date, ...(body.length > 0 && digest) };
  const signed = { ...lengthOf(body), ...added, host: target.authority };
  const names = ['(request-target)', ...Object.keys(signed)];
  const signature = await signText(cavageText(names, target, fieldsOf(signed)), key.key, key.algorithm);
  return {
    ...added,
    signature: [
      `keyId="${key.keyId}"`,
      `algorithm="${key.algorithm}"`,
      `headers="${names.join(' ')}"`,
      `signature="${signature}"`,
    ].join(','),
  };
}

/** Any label is allowed; older instances of this product look for this one. */
const LABEL = 'ocm';

/** Covers the components that OCM requires, in its order, with its tag. Source: OCM 1.4. */
async function signByRfc9421(
  target: RequestTarget,
  body: Buffer,
  key: SigningKey,
  now: number,
): Promise<SignatureHeaders> {
  const digest = { 'content-digest': `sha-256=:${digestOf(body, 'sha-256')}:` };
  const date = new Date(now).toUTCString();
  const signed = { ...(body.length > 0 && digest), ...lengthOf(body), date };
  const components = ['@method', '@target-uri', ...Object.keys(signed)];
  const covered = components.map((name) => `"${name}"`).join(' ');
  const created = Math.floor(now / 1000);
  const about = `created=${created};keyid="${key.keyId}";alg="${key.algorithm}";tag="${OCM_TAG}"`;
  const parameters = `(${covered});${about}`;
  const base = signatureBase(components, parameters, target, fieldsOf(signed));
  return {
    date,
    ...(body.length > 0 && digest),
    'signature-input': `${LABEL}=${parameters}`,
    signature: `${LABEL}=:${await signText(base, key.key, key.algorithm)}:`,
  };
}

function lengthOf(body: Buffer): SignatureHeaders {
  return body.length > 0 ? { 'content-length': String(body.length) } : {};
}

function fieldsOf(headers: SignatureHeaders): { require(name: string): string } {
  return { require: (name) => headers[name]! };
}
