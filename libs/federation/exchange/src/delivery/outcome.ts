import type { ErrorClass } from '#federation/protocol';

/** Facts about the exchange, for the record of the attempt. Never a secret. */
export interface Evidence {
  readonly endpoint?: string;
  readonly dialect?: string;
  readonly httpStatus?: number;
  readonly durationMs?: number;
  /** A bounded, redacted part of the answer. */
  readonly excerpt?: string;
}

/** Outcome of one attempt. The code that saw the failure decided whether another attempt is worth it. */
export type DeliveryOutcome =
  | {
      readonly kind: 'delivered';
      /** Part of the answer for the message's writer. Never a secret. */
      readonly reply?: Readonly<Record<string, unknown>>;
      readonly evidence?: Evidence;
    }
  /** The partner had ended the subject already: as good as delivered. */
  | { readonly kind: 'already-gone'; readonly evidence?: Evidence }
  /** The partner has no such message: nothing was sent, and `message` says why. */
  | { readonly kind: 'not-sent'; readonly message: string; readonly evidence?: Evidence }
  /** The partner's own verdict; `message` is in its words. */
  | {
      readonly kind: 'refused';
      readonly errorClass: ErrorClass;
      readonly message: string;
      readonly evidence?: Evidence;
    }
  /** It will never succeed, and that is no verdict on the share. */
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
      /** At least so long, as the partner asked or as the sender thinks wise. */
      readonly retryAfterMs?: number;
      /** Given up after so many requests that failed by this class, however young the message is. */
      readonly repeatsAtMost?: number;
      /** The request may have had its effect. */
      readonly maybeDelivered?: boolean;
      readonly evidence?: Evidence;
    };
