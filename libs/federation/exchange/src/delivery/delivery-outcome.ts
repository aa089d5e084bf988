import { FAILURES, keepsCopies, type ErrorClass, type PeerProduct } from '#federation/protocol';
import { isOffer, MESSAGES, type MessageKind } from '../messages/message-catalogue';
import type { DeliveryReport } from '../ports/delivery-report';
import type { ProfileFound } from '../ports/profile-found';
import { PAUSE_AFTER_DOUBT_MS } from './backoff';

/** Facts about the exchange, for the record of the attempt. They contain no secret. */
interface Evidence {
  readonly endpoint?: string;
  readonly dialect?: string;
  readonly httpStatus?: number;
  readonly durationMs?: number;
  /** A bounded, redacted part of the answer. */
  readonly excerpt?: string;
}

/** Outcome of one attempt. The code that saw the failure decides whether another attempt makes sense. */
export type DeliveryOutcome =
  | {
      readonly kind: 'delivered';
      /** Part of the answer for the writer of the message. It contains no secret. */
      readonly reply?: Readonly<Record<string, unknown>>;
      readonly evidence?: Evidence;
    }
  /** The partner had already ended the subject: counts as delivered. */
  | { readonly kind: 'already-gone'; readonly evidence?: Evidence }
  /** The partner knows no such message, or it has lost its meaning: nothing was sent, and `message` says why. */
  | { readonly kind: 'not-sent'; readonly message: string; readonly evidence?: Evidence }
  /** The partner's final refusal; `message` is its text. */
  | {
      readonly kind: 'refused';
      readonly errorClass: ErrorClass;
      readonly message: string;
      readonly evidence?: Evidence;
    }
  /** It will never succeed, but the partner did not refuse the share. */
  | {
      readonly kind: 'failed';
      readonly errorClass: ErrorClass;
      readonly message: string;
      readonly evidence?: Evidence;
    }
  | {
      readonly kind: 'retry';
      readonly errorClass: ErrorClass;
      readonly message: string;
      /** Minimum pause, as the partner asked or as the sender decides. */
      readonly retryAfterMs?: number;
      /** The message is given up after this number of failures of this class, whatever its age. */
      readonly repeatsAtMost?: number;
      /** The request may have had its effect. */
      readonly maybeDelivered?: boolean;
      readonly evidence?: Evidence;
    };

/** Maximum number of new discoveries of a partner that answers like another kind of server. */
const REDISCOVERIES = 5;

/**
 * Converts the client's report into the outcome of its message.
 * @param sent the message's kind, and facts about the partner
 * @param reply values of the answer that the writer of the message needs
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
    case 'not-sent':
      if (MESSAGES[kind].unsayable === 'left-to-us')
        return { kind: 'refused', errorClass: 'unsupported', message: '', evidence };
      return { kind: 'not-sent', message: `servers of its kind (${product}) have no such message`, evidence };
    case 'already-gone':
      return { kind: 'already-gone', evidence };
    case 'refused': {
      const { reason, words } = outcome;
      if (FAILURES[reason].isOurRule)
        return {
          kind: 'failed',
          errorClass: reason,
          message: 'its address may not be connected to',
          evidence,
        };
      return { kind: 'refused', errorClass: reason, message: words, evidence };
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
      const isAmbiguous = mayHaveArrived && FAILURES[errorClass].leavesDoubt && keepsCopies(product);
      const retryAfterMs =
        outcome.retryAfterMs ?? (isAmbiguous && isOffer(kind) ? PAUSE_AFTER_DOUBT_MS : null);
      return {
        kind: 'retry',
        errorClass,
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
 * Outcome while the partner's profile is unknown. A known partner gets further attempts. An offer to a server that was never
 * seen is given up at once if the answer is definite: its address is probably mistyped, and its author is waiting for
 * the answer. If such a server does not answer in time, attempts continue, too.
 * @param isFirstOffer whether this is the first attempt of an offer
 */
export function outcomeWithoutProfile(
  found: Exclude<ProfileFound, { kind: 'partner' }>,
  isFirstOffer: boolean,
): DeliveryOutcome {
  const isNoPartner = found.kind === 'no-partner';
  const errorClass = isNoPartner ? 'undiscovered' : found.errorClass;
  const notThere = isNoPartner ? 'it is no server that shares' : FAILURES[found.errorClass].notThere;
  const message = notThere ?? errorClass;
  const isHopeless = isFirstOffer && found.isNew && notThere !== null;
  if (isHopeless || FAILURES[errorClass].isOurRule) return { kind: 'failed', errorClass, message };
  return { kind: 'retry', errorClass, message };
}
