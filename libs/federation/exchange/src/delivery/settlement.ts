import type { ErrorClass } from '#federation/protocol';
import { pauseAfter } from './backoff';
import type { MessageState } from '../messages/message';
import { BEGINNINGS, type MessageKind } from '../messages/message-catalogue';
import type { DeliveryOutcome } from './delivery-outcome';
import type { Randomness } from '../ports/randomness';

/** State of a message after an attempt. */
export interface Settlement {
  readonly state: Extract<MessageState, 'pending' | 'delivered' | 'not-sent' | 'refused' | 'dead'>;
  readonly attempts: number;
  /** Time of the next attempt; null after the last one. */
  readonly availableAtMs: number | null;
  readonly errorClass: ErrorClass | null;
  /** Text for people; null after success. */
  readonly message: string | null;
  readonly maybeDelivered: boolean;
  /** Whether later messages of the same subject have become pointless. */
  readonly dropsFollowing: boolean;
}

interface Attempted {
  readonly kind: MessageKind;
  readonly attempts: number;
  /** Earlier requests that failed with the same class; used where a class has a limit. */
  readonly sameFailures: number;
  readonly maybeDelivered: boolean;
  /** Milliseconds since the epoch. */
  readonly deadlineMs: number;
}

const WORDS_AT_MOST = 500;

/** Text of a partner in a form that can be stored and shown: one line, bounded, without control characters. */
export function presentable(text: string): string {
  const line = text.toWellFormed().replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ');
  return line.trim().slice(0, WORDS_AT_MOST).toWellFormed();
}

/** Decides the next state of a message after one attempt. */
export function settle(
  message: Attempted,
  outcome: DeliveryOutcome,
  nowMs: number,
  random: Randomness,
): Settlement {
  const attempts = message.attempts + 1;
  const over = { attempts, availableAtMs: null, maybeDelivered: message.maybeDelivered };
  switch (outcome.kind) {
    case 'delivered':
    case 'already-gone':
      return { ...over, state: 'delivered', errorClass: null, message: null, dropsFollowing: false };
    case 'not-sent':
      return {
        ...over,
        state: 'not-sent',
        errorClass: 'unsupported',
        message: presentable(outcome.message),
        dropsFollowing: false,
      };
    case 'refused':
      return { ...givenUp({ ...message, attempts }, outcome), state: 'refused' };
    case 'failed':
      return givenUp({ ...message, attempts }, outcome);
    case 'retry':
      return settleFailure(message, attempts, outcome, nowMs, random);
  }
}

/** State of a message that is not tried any more. */
export function givenUp(
  { kind, attempts, maybeDelivered }: Pick<Attempted, 'kind' | 'attempts' | 'maybeDelivered'>,
  { errorClass, message }: { readonly errorClass: ErrorClass | null; readonly message: string },
): Settlement {
  return {
    state: 'dead',
    attempts,
    availableAtMs: null,
    errorClass,
    message: presentable(message),
    maybeDelivered,
    dropsFollowing: BEGINNINGS.includes(kind) && !maybeDelivered,
  };
}

function settleFailure(
  message: Attempted,
  attempts: number,
  outcome: Extract<DeliveryOutcome, { kind: 'retry' }>,
  nowMs: number,
  random: Randomness,
): Settlement {
  const availableAtMs = nowMs + pauseAfter(attempts, outcome.retryAfterMs, random);
  const givenUp =
    availableAtMs > message.deadlineMs ||
    (outcome.repeatsAtMost !== undefined && message.sameFailures + 1 >= outcome.repeatsAtMost);
  const maybeDelivered = message.maybeDelivered || outcome.maybeDelivered === true;
  return {
    state: givenUp ? 'dead' : 'pending',
    attempts,
    availableAtMs: givenUp ? null : availableAtMs,
    errorClass: outcome.errorClass,
    message: presentable(outcome.message),
    maybeDelivered,
    dropsFollowing: givenUp && BEGINNINGS.includes(message.kind) && !maybeDelivered,
  };
}
