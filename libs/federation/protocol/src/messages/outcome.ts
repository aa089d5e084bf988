import type { FailureClass, RefusalReason } from './failure';
import type { GrantedReshare } from './read-answer';

/** Meaning of a partner's answer for a message. */
export type Outcome =
  | { readonly kind: 'delivered'; readonly reshare: GrantedReshare | null }
  /** The subject had ended already: as good as delivered. */
  | { readonly kind: 'already-gone' }
  /** There is no such message for this partner: nothing was sent. */
  | { readonly kind: 'not-sent' }
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
