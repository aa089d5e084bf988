import { createHash } from 'node:crypto';
import {
  readSignature,
  SignatureRefused,
  type HostIdentity,
  type SignatureAlgorithm,
  type SignatureRefusal,
  type SignatureToCheck,
  type SignedRequest,
} from '#federation/protocol';
import { DEFAULT_ALGORITHMS, isSignatureOf, kindFor } from './algorithms';
import { isBodyOf } from './body-digests';
import type { PartnerKey } from './partner-keys';
import type { KeyAnswer, PartnerKeys, SeenSignatures } from './ports';

export interface ReceivedRequest extends SignedRequest {
  /** Exactly the received bytes; empty for none. */
  readonly rawBody: Buffer;
}

export interface VerificationContext {
  readonly keys: PartnerKeys;
  readonly seen: SeenSignatures;
  /** UNIX milliseconds. */
  readonly now: number;
}

export type Verification =
  | { readonly kind: 'unsigned' }
  | {
      readonly kind: 'valid';
      readonly keyId: string;
      readonly algorithm: SignatureAlgorithm;
      /** The signer. */
      readonly host: HostIdentity;
    }
  | {
      readonly kind: 'invalid';
      readonly reason: SignatureRefusal;
      /** Name of the header, component or parameter that caused it; may be empty. */
      readonly detail: string;
    };

/**
 * Checks the signature of a request, by draft-cavage or RFC 9421, and remembers it, so that the same message is accepted only
 * once. A valid signature proves who sent the request, but not that they may do it: the caller compares `host` with the owner of
 * the share or the server for which the message speaks. Source: federation-facts 10.
 * @throws errors of the ports; no input of a partner makes it throw
 */
export async function verifyRequest(
  request: ReceivedRequest,
  context: VerificationContext,
): Promise<Verification> {
  try {
    const signature = readSignature(request, request.rawBody.length, context.now);
    if (!signature) return { kind: 'unsigned' };
    if (!isBodyOf(signature.digests, request.rawBody)) throw new SignatureRefused('digest-wrong');
    const { algorithm, host } = await checkedKey(signature, context.keys);
    await rememberOnce(signature, host, context.seen);
    return { kind: 'valid', keyId: signature.signer.keyId, algorithm, host };
  } catch (error) {
    if (!(error instanceof SignatureRefused)) throw error;
    return { kind: 'invalid', reason: error.refusal, detail: error.detail };
  }
}

interface CheckedKey {
  /** The algorithm that matched the signature. */
  readonly algorithm: SignatureAlgorithm;
  /** The owner of the key. */
  readonly host: HostIdentity;
}

/**
 * Checks the signature with the signer's stored key and, if that fails, with the key that the signer publishes now.
 * @throws SignatureRefused
 */
async function checkedKey(signature: SignatureToCheck, keys: PartnerKeys): Promise<CheckedKey> {
  const known = await keys.find(signature.signer);
  const first = known.kind === 'found' ? check(signature, known.key) : undefined;
  if (known.kind === 'found' && typeof first === 'object') return { ...first, host: known.host };
  if (known.kind === 'unavailable') throw new SignatureRefused('key-unavailable');
  const now = foundIn(await keys.findAnew(signature.signer));
  const second = check(signature, now.key);
  if (typeof second === 'object') return { ...second, host: now.host };
  throw new SignatureRefused(second);
}

function foundIn(answer: KeyAnswer): Extract<KeyAnswer, { kind: 'found' }> {
  if (answer.kind === 'found') return answer;
  throw new SignatureRefused(answer.kind === 'unknown' ? 'key-unknown' : 'key-unavailable');
}

function check(
  { signer, algorithm: stated, signature, signedText }: SignatureToCheck,
  { keyId, kind, key }: PartnerKey,
): { readonly algorithm: SignatureAlgorithm } | SignatureRefusal {
  if (keyId !== signer.keyId) return 'key-unknown';
  const algorithm = stated ?? (kind === 'rsa' ? null : DEFAULT_ALGORITHMS[kind]);
  if (algorithm === null || kindFor(algorithm) !== kind) return 'key-unsuitable';
  return isSignatureOf(signature, signedText, key, algorithm) ? { algorithm } : 'signature-wrong';
}

/** Remembers the signed message rather than its signature: anybody can make another valid ECDSA signature from one. */
async function rememberOnce(
  signature: SignatureToCheck,
  host: HostIdentity,
  seen: SeenSignatures,
): Promise<void> {
  const message = `${host}\n${signature.signedText}`;
  const hash = createHash('sha256').update(message).digest();
  if (!(await seen.remember(hash, new Date(signature.acceptableUntil))))
    throw new SignatureRefused('replayed');
}
