import type { MessageState } from './message';
import { MESSAGES, type MessageKind } from './message-catalogue';

/** An open message of the same subject, as coalescing needs it. */
export interface OpenMessage {
  readonly messageId: number;
  readonly kind: MessageKind;
  readonly state: MessageState;
  readonly attempts: number;
  /** Whether it may have reached the partner without an answer: a lost worker counts no attempt. */
  readonly maybeDelivered: boolean;
}

export interface Coalesced {
  /** Open messages that need not be sent any more. */
  readonly superseded: readonly number[];
  /** Whether the new message has to be sent at all. */
  readonly needed: boolean;
}

/**
 * Effect of a new message on the open ones of its subject: a later change replaces an unsent earlier one, and an end
 * replaces all unsent messages. If the partner cannot know the beginning, nothing is sent at all. A message that
 * is being sent stays: whether it arrives is not known yet.
 */
export function coalesce(open: readonly OpenMessage[], kind: MessageKind): Coalesced {
  const replaced = open.filter(
    (message) => message.state !== 'inflight' && MESSAGES[kind].supersedes.includes(message.kind),
  );
  const unheard = replaced.some(
    (message) => message.kind === MESSAGES[kind].ends && message.attempts === 0 && !message.maybeDelivered,
  );
  return { superseded: replaced.map((message) => message.messageId), needed: !unheard };
}
