import type { MessageKind } from './message-catalogue';

/** Subject of a message. The messages of one subject are delivered in the order in which they were written. */
export interface Subject {
  /**
   * `share` is our share as its recipient's server knows it; `reshare` is the same share as the partner that requested it knows it. If the
   * owner's server made the share for us, `share` is the side of that server, and `reshare` that of the recipient's server.
   * `share-request` is a request of one of our accounts for a share.
   */
  readonly type: 'share' | 'received-share' | 'reshare' | 'share-request';
  readonly id: number;
}

/**
 * State of a message.
 *
 * `pending` waits in the outbox, `queued` is in the queue, `inflight` is being sent; these three are open.
 * `delivered`, `not-sent` (the partner has no such message), `refused` (by the partner), `dead` (given up),
 * `cancelled` (by an operator) and `superseded`
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

/** A message for its sender. It contains no secret in clear. */
export interface OutgoingMessage {
  readonly messageId: number;
  readonly kind: MessageKind;
  readonly subject: Subject;
  readonly peerId: number;
  /** The same for every repetition of the message, including a replay: `kind:subject:revision`. */
  readonly dedupeKey: string;
  readonly revision: number;
  /** Stored content of the message. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** The shared secret, sealed; null if the message has none. */
  readonly sealedSecret: Buffer | null;
  /** Number of earlier attempts. */
  readonly attempts: number;
  /** Whether an earlier attempt may have reached the partner without an answer. */
  readonly maybeDelivered: boolean;
}
