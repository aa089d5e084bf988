import { readCavage } from './cavage';
import { receivedMessage, type SignedRequest } from './received-message';
import { readRfc9421 } from './rfc9421';
import type { SignatureToCheck } from './signature-to-check';

/**
 * Reads the signature of a request and checks everything that needs neither its body nor a key: form, covered parts,
 * intended server, time.
 *
 * A request with `Signature-Input` counts as RFC 9421, and is never tried as the other kind.
 * @param bodyLength in bytes
 * @param now in UNIX milliseconds
 * @returns undefined for an unsigned request
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
