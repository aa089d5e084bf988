import type { MessageKind } from './message-catalogue';

/** Subject of a message; the messages of one subject are delivered in the order in which they were written. */
export interface Subject {
  /**
   * `share` is a share of ours towards its recipient, `reshare` the same towards the partner that asked for it. Of one that the
   * owner's server made for us, `share` is the side towards that server, and `reshare` towards its recipient's.
   */
  readonly type: 'share' | 'received-share' | 'reshare';
  readonly id: number;
}

/**
 * Where a message stands.
 *
 * `pending` waits in the outbox, `queued` was handed to the queue, `inflight` is being sent; these three are open.
 * `delivered`, `not-sent` (the partner has no such message), `refused` (the partner's verdict), `dead` (given up), `cancelled` (by an operator) and `superseded`
 * (by a later message) are final; only `dead`, `not-sent`, `refused` and `cancelled` can be replayed.
 */
export const MESSAGE_STATES = [
  'pending',
  'queued',
  'inflight',
  'delivered',
  'not-sent',
  'refused',
  'dead',
  'cancelled',
  'superseded',
] as const;
export type MessageState = (typeof MESSAGE_STATES)[number];

/** A message as the sender gets it. It holds no secret in clear. */
export interface OutgoingMessage {
  readonly messageId: number;
  readonly kind: MessageKind;
  readonly subject: Subject;
  readonly peerId: number;
  /** The same for every repetition of the message, also after a replay: `kind:subject:revision`. */
  readonly dedupeKey: string;
  readonly revision: number;
  /** Content of the message, as its writer put it. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** The shared secret, sealed; null where the message carries none. */
  readonly sealedSecret: Buffer | null;
  /** Attempts before this one. */
  readonly attempts: number;
  /** Whether an earlier attempt may have reached the partner although no answer came. */
  readonly maybeDelivered: boolean;
}
