import { MessageHeaders } from './message-headers';
import { requestTarget, type RequestTarget } from './request-target';
import { SignatureRefused } from './signature-refused';

/** A received request. */
export interface SignedRequest {
  readonly method: string;
  /** Our public address with the path and query exactly as they were sent. */
  readonly url: string;
  /** All names and values, alternating, as node:http has them in `rawHeaders`. */
  readonly rawHeaders: readonly string[];
}

/** The parts of a request that are signed, or that decide about its signature. */
export interface ReceivedMessage {
  readonly target: RequestTarget;
  readonly headers: MessageHeaders;
  /** In bytes. */
  readonly bodyLength: number;
  /** UNIX milliseconds. */
  readonly now: number;
}

/**
 * @returns undefined for a request without any signature header
 * @throws SignatureRefused for a request that cannot have been signed in this form
 */
export function receivedMessage(
  { method, url, rawHeaders }: SignedRequest,
  bodyLength: number,
  now: number,
): ReceivedMessage | undefined {
  const headers = new MessageHeaders(rawHeaders);
  if (headers.get('signature') === undefined && headers.get('signature-input') === undefined)
    return undefined;
  const length = headers.get('content-length');
  if (length !== undefined && length !== String(bodyLength)) throw new SignatureRefused('length-wrong');
  return { target: requestTarget(method, url), headers, bodyLength, now };
}
