import type { GrantedReshare } from './read-answer';

/** Why nothing, or nothing readable, came back. Decided where the failure is born. */
export type TransportFailure =
  /** The resolver gave no answer. */
  | 'dns'
  /** There is no such name. */
  | 'unknown-host'
  | 'tls'
  /** The partner's certificate does not hold. */
  | 'certificate'
  | 'refused'
  | 'unreachable'
  | 'timeout'
  | 'reset'
  | 'blocked-address'
  | 'blocked-http'
  | 'blocked-redirect'
  | 'too-large'
  | 'bad-answer'
  | 'busy'
  | 'closed';

/** The same, and what a partner says that it cannot do now. */
export type FailureClass = TransportFailure | 'partner-trouble' | 'partner-limits';

export type RefusalReason =
  /** The partner does not know the account. */
  | 'recipient-unknown'
  /** The partner does not know the share (any more). */
  | 'share-unknown'
  /** It does not accept our signature. */
  | 'signature-refused'
  /** It does not let us, or does not believe the secret. */
  | 'not-trusted'
  /** It has switched this off, or cannot do it. */
  | 'unsupported'
  /** Anything else that trying again does not change. */
  | 'rejected'
  /** Our own rules forbid the partner's address. */
  | 'blocked';

/** Meaning of a partner's answer for a message. */
export type Outcome =
  | { readonly kind: 'delivered'; readonly reshare: GrantedReshare | null }
  /** The subject had ended already: as good as delivered. */
  | { readonly kind: 'already-gone' }
  /** There is no such message for this partner: nothing was sent. */
  | { readonly kind: 'nothing-to-send' }
  /** For good. `words` are the partner's own, fit to be shown; `''` for none. */
  | { readonly kind: 'refused'; readonly reason: RefusalReason; readonly words: string }
  /** A definite no to this dialect; `otherwise` is what it means when there is no other. */
  | { readonly kind: 'next-dialect'; readonly otherwise: Outcome }
  /** The partner seems to have changed: discover it again, then try again, a few times at most. */
  | {
      readonly kind: 'rediscover';
      readonly words: string;
      /** Whether `words` are the partner's, about our signature: it may hold an outdated key of ours. */
      readonly missesSignature?: boolean;
    }
  | {
      readonly kind: 'retry';
      readonly errorClass: FailureClass;
      /** Milliseconds that the partner asked for; null where it did not. */
      readonly retryAfterMs: number | null;
      /** Whether the partner may have taken the message: a repetition can then make a second share. */
      readonly mayHaveArrived: boolean;
    };
