import { FAILURES, parseRetryAfter } from '#federation/protocol';
import { RemoteFailure, type ContactResult, type RemoteFailureCode } from '#federation/remote-files';
import { EgressFailed } from '../egress/egress-failed';
import type { AnswerHeaders } from '../egress/guarded-client';

/** The requested operation. One status can mean different things for different operations. */
export type DavOperation = 'probe' | 'read' | 'write' | 'make-folder' | 'remove' | 'move';

export interface AnswerHead {
  readonly status: number;
  readonly headers: AnswerHeaders;
}

const CODES: Readonly<Record<number, RemoteFailureCode>> = {
  401: 'denied',
  403: 'forbidden',
  404: 'missing',
  405: 'forbidden',
  409: 'conflict',
  410: 'missing',
  412: 'precondition-failed',
  413: 'no-space',
  // The file has become shorter than expected.
  416: 'precondition-failed',
  423: 'locked',
  429: 'unreachable',
  501: 'forbidden',
  507: 'no-space',
};

/** The failure for an unexpected status. */
export function failureOfStatus(
  hostKey: string,
  operation: DavOperation,
  { status, headers }: AnswerHead,
  isRoot: boolean,
): RemoteFailure {
  const wait = parseRetryAfter(headers['retry-after'] ?? null, Date.now());
  const retryAfterSeconds = wait === null ? undefined : Math.ceil(wait / 1000);
  const code = codeOf(operation, status, isRoot);
  // Either a proxy says that the partner's server is away, or the server says that the share's origin is away.
  const contact = status >= 502 && status <= 504 ? 'gap' : 'answered';
  return new RemoteFailure(code, hostKey, `HTTP ${status}`, retryAfterSeconds, contact);
}

function codeOf(operation: DavOperation, status: number, isRoot: boolean): RemoteFailureCode {
  const isProbeOrRead = operation === 'probe' || operation === 'read';
  // A partner that refuses even to show the share has withdrawn it. A partner that refuses a change may still show it.
  if (status === 403 && isRoot && isProbeOrRead) return 'denied';
  if (status === 405 && operation === 'make-folder') return 'exists';
  // The operation was done in part.
  if (status === 207 && !isProbeOrRead) return 'conflict';
  const known = CODES[status];
  if (known) return known;
  if (status >= 500) return 'unreachable';
  // For example, the partner cannot store the name.
  return status >= 400 && !isProbeOrRead ? 'forbidden' : 'not-understood';
}

/** The failure for an error of the guarded client; a bug stays as it is. */
export function failureOfError(hostKey: string, error: unknown): unknown {
  if (!(error instanceof EgressFailed)) return error;
  const { contact } = FAILURES[error.failure];
  const code = contact === 'answered' ? 'not-understood' : 'unreachable';
  return new RemoteFailure(code, hostKey, error.failure, undefined, contact);
}

export function notUnderstood(hostKey: string, detail: string, contact?: ContactResult): RemoteFailure {
  return new RemoteFailure('not-understood', hostKey, detail, undefined, contact);
}
