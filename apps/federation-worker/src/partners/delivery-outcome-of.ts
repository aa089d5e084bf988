import type { DeliveryReport, ProfileFound } from '#federation/client';
import {
  PAUSE_AFTER_DOUBT_MS,
  type DeliveryOutcome,
  type ErrorClass,
  type Evidence,
  type MessageKind,
} from '#federation/delivery';
import { keepsCopies, type FailureClass, type PeerProduct, type RefusalReason } from '#federation/protocol';

const ERROR_CLASSES: Readonly<Record<FailureClass, ErrorClass>> = {
  dns: 'dns',
  'unknown-host': 'unknown-host',
  tls: 'tls',
  certificate: 'certificate',
  refused: 'not-listening',
  unreachable: 'network',
  timeout: 'timeout',
  reset: 'network',
  'blocked-address': 'blocked',
  'blocked-http': 'blocked',
  'blocked-redirect': 'undiscovered',
  'too-large': 'partner-error',
  'bad-answer': 'partner-error',
  busy: 'internal',
  closed: 'internal',
  'partner-trouble': 'partner-error',
  'partner-limits': 'limited',
};

const REFUSAL_CLASSES: Readonly<Record<Exclude<RefusalReason, 'blocked'>, ErrorClass>> = {
  'recipient-unknown': 'recipient-unknown',
  'share-unknown': 'rejected',
  'signature-refused': 'signature-refused',
  'not-trusted': 'denied',
  unsupported: 'unsupported',
  rejected: 'rejected',
};

/** A partner that answers as another kind of server is discovered anew so often. */
const REDISCOVERIES = 5;
/** Failures after which nobody knows what became of a request: it was cut, by time, by the network or by our own end. */
const UNANSWERED: readonly FailureClass[] = ['timeout', 'reset', 'closed'];

/**
 * Meaning of the client's report for its message.
 * @param sent the message's kind, and what the partner is
 * @param reply what the answer held for the message's writer
 */
export function outcomeOfReport(
  { kind, product }: { readonly kind: MessageKind; readonly product: PeerProduct },
  { outcome, attempts }: DeliveryReport,
  reply: Readonly<Record<string, unknown>> | undefined,
): DeliveryOutcome {
  const evidence = evidenceOf(attempts);
  switch (outcome.kind) {
    case 'delivered':
      return { kind: 'delivered', evidence, ...(reply ? { reply } : {}) };
    case 'nothing-to-send':
      // A partner that cannot be asked for a reshare leaves it to us.
      if (kind === 'reshare-request')
        return { kind: 'refused', errorClass: 'unsupported', message: '', evidence };
      return { kind: 'not-sent', message: `servers of its kind (${product}) have no such message`, evidence };
    case 'already-gone':
      return { kind: 'already-gone', evidence };
    case 'refused': {
      const { reason, words } = outcome;
      if (reason === 'blocked')
        return {
          kind: 'failed',
          errorClass: 'blocked',
          message: 'its address may not be connected to',
          evidence,
        };
      return { kind: 'refused', errorClass: REFUSAL_CLASSES[reason], message: words, evidence };
    }
    case 'rediscover':
      return {
        kind: 'retry',
        errorClass: outcome.missesSignature ? 'signature-refused' : 'undiscovered',
        message: outcome.words,
        repeatsAtMost: REDISCOVERIES,
        evidence,
      };
    case 'retry': {
      const { errorClass, mayHaveArrived } = outcome;
      const isAmbiguous = mayHaveArrived && UNANSWERED.includes(errorClass) && keepsCopies(product);
      const retryAfterMs =
        outcome.retryAfterMs ?? (isAmbiguous && kind === 'share-create' ? PAUSE_AFTER_DOUBT_MS : null);
      return {
        kind: 'retry',
        errorClass: ERROR_CLASSES[errorClass],
        message: errorClass,
        ...(retryAfterMs === null ? {} : { retryAfterMs }),
        maybeDelivered: mayHaveArrived,
        evidence,
      };
    }
  }
}

function evidenceOf(attempts: DeliveryReport['attempts']): Evidence | undefined {
  const last = attempts.at(-1);
  if (!last) return undefined;
  const { endpoint, dialect, httpStatus, durationMs, excerpt } = last;
  return { endpoint, dialect, durationMs, excerpt, ...(httpStatus === null ? {} : { httpStatus }) };
}

/**
 * Definite answers of a network by which a server that was never seen is taken for one that is not there, in the words that
 * the record of the share and the notification of its failure have.
 */
const NOT_THERE: ReadonlyMap<FailureClass, string> = new Map([
  ['unknown-host', 'there is no server of this name'],
  ['tls', 'no secure connection is possible'],
  ['certificate', 'its certificate is not valid'],
  ['refused', 'nothing listens there'],
  ['blocked-address', 'its address may not be connected to'],
  ['blocked-http', 'its address may not be connected to without encryption'],
]);

/**
 * Outcome while the partner's profile is unknown. A known partner is waited for; an offer to a server that was never
 * seen is given up at once where the answer is definite: its address is probably mistyped, and its author is waiting for
 * the answer. One that does not answer in time is waited for, too.
 * @param isFirstOffer whether this is the first attempt of an offer
 */
export function outcomeWithoutProfile(
  found: Exclude<ProfileFound, { kind: 'partner' }>,
  isFirstOffer: boolean,
): DeliveryOutcome {
  const isNoPartner = found.kind === 'no-partner';
  const errorClass = isNoPartner ? 'undiscovered' : ERROR_CLASSES[found.errorClass];
  const isDefinite = isNoPartner || NOT_THERE.has(found.errorClass);
  const message = isNoPartner
    ? 'it is no server that shares'
    : (NOT_THERE.get(found.errorClass) ?? found.errorClass);
  if (isFirstOffer && found.isNew && isDefinite) return { kind: 'failed', errorClass, message };
  if (errorClass === 'blocked') return { kind: 'failed', errorClass, message };
  return { kind: 'retry', errorClass, message };
}
