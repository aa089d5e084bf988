import { TreeFailure, type TreeFailureCode } from '../tree/tree-failure';
import type { RemoteFailure, RemoteFailureCode } from '#federation/remote-files';

/** Pause before a partner that named none is asked again. */
const RETRY_AFTER_SECONDS = 30;

/** A partner cannot be reached now: contents for it may be stored until it can. */
export class PartnerAway extends TreeFailure {
  constructor(
    retryAfterSeconds = RETRY_AFTER_SECONDS,
    /** Whether the partner may nevertheless have received the request. */
    readonly isDoubtful = false,
  ) {
    super('unavailable', 'The server where this lies does not answer', retryAfterSeconds);
  }
}

/** Content at a partner that is not available now. */
export const unavailable = (retryAfterSeconds?: number): TreeFailure => new PartnerAway(retryAfterSeconds);

/** The next probe finds out why a share is denied, so a denial says nothing about the entry. */
const REFUSALS: Readonly<Record<RemoteFailureCode, readonly [TreeFailureCode, string] | undefined>> = {
  barred: undefined,
  unreachable: undefined,
  'not-understood': undefined,
  denied: undefined,
  missing: ['not-found', 'It is not there any more'],
  forbidden: ['forbidden', 'The server where this lies does not allow it'],
  exists: ['exists', 'The resource you tried to create already exists'],
  conflict: ['parent-missing', 'The folder for it is missing at the server where it lies'],
  locked: ['locked', 'It is locked at the server where it lies'],
  'precondition-failed': ['precondition-failed', 'It was changed at the server where it lies'],
  'no-space': ['quota-exceeded', 'There is no space for it at the server where it lies'],
};

/** The server answers, but does not show us the share. Probes find out whether it has ended. */
const denied = (): TreeFailure =>
  new TreeFailure(
    'unavailable',
    'The server where this lies denies access to the share',
    RETRY_AFTER_SECONDS,
  );

/** The answer does not follow WebDAV. */
const notUnderstood = (): TreeFailure =>
  new TreeFailure(
    'unavailable',
    'The server where this lies gives no answer that counts',
    RETRY_AFTER_SECONDS,
  );

/** The one mapping from a partner's failures to failures of the tree. */
export function treeFailureOf(failure: RemoteFailure): TreeFailure {
  if (failure.code === 'denied') return denied();
  if (failure.code === 'not-understood') return notUnderstood();
  const refusal = REFUSALS[failure.code];
  return refusal
    ? new TreeFailure(...refusal)
    : new PartnerAway(failure.retryAfterSeconds, failure.contact !== 'none');
}
