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
  /** Exactly the bytes that came; empty for none. */
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
      /** Name of the header, component or parameter that it is about; may be empty. */
      readonly detail: string;
    };

/**
 * Judges the signature of a request, by draft-cavage or RFC 9421, and remembers it, so that the same message is taken
 * once. A valid signature says who sent the request, not what they may do: the caller compares `host` with the owner of
 * the share or the server that the message speaks for. Source: federation-facts 10.
 * @throws whatever the ports throw; nothing that a partner sends makes it throw
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
  /** By which the signature is right. */
  readonly algorithm: SignatureAlgorithm;
  /** The owner of the key. */
  readonly host: HostIdentity;
}

/**
 * Checks the signature by the signer's key, and by what the signer says now where it is not that one.
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

/** The signed message is remembered, not its signature: from one ECDSA signature anybody can make another valid one. */
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
