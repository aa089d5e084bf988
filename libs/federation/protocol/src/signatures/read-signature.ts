import { readCavage } from './cavage';
import { receivedMessage, type SignedRequest } from './received-message';
import { readRfc9421 } from './rfc9421';
import type { SignatureToCheck } from './signature-to-check';

/**
 * Reads the signature of a request and judges all that needs neither its body nor a key: form, what is covered,
 * for which server, when.
 *
 * A request with `Signature-Input` is one of RFC 9421, and never tried as the other kind.
 * @param bodyLength in bytes
 * @param now UNIX milliseconds
 * @returns undefined for a request that is not signed
 * @throws SignatureRefused
 */
export function readSignature(
  request: SignedRequest,
  bodyLength: number,
  now: number,
): SignatureToCheck | undefined {
  const message = receivedMessage(request, bodyLength, now);
  if (message === undefined) return undefined;
  const isNewer = message.headers.get('signature-input') !== undefined;
  return isNewer ? readRfc9421(message) : readCavage(message);
}
