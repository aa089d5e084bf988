import type { MessageKind, MessageState } from './message';

/** An open message of the same subject, as far as coalescing looks at it. */
export interface OpenMessage {
  readonly messageId: number;
  readonly kind: MessageKind;
  readonly state: MessageState;
  readonly attempts: number;
  /** Whether it may have reached the partner although no answer came: a lost worker counts no attempt. */
  readonly maybeDelivered: boolean;
}

export interface Coalesced {
  /** Open messages that need not be sent any more. */
  readonly superseded: readonly number[];
  /** Whether the new message has to be sent at all. */
  readonly needed: boolean;
}

/** Kinds that a later message of this kind makes pointless while they were not sent. */
const REPLACES: Readonly<Record<MessageKind, readonly MessageKind[]>> = {
  'share-create': [],
  'share-permissions': ['share-permissions'],
  'share-unshare': ['share-create', 'share-permissions', 'share-unshare'],
  'received-accept': ['received-accept', 'received-decline'],
  'received-decline': ['received-accept', 'received-decline'],
  'reshare-request': [],
  'reshare-permissions': ['reshare-permissions'],
  'reshare-accepted': ['reshare-accepted'],
  'reshare-declined': ['reshare-accepted', 'reshare-permissions', 'reshare-undo', 'reshare-declined'],
  // Only what was granted has an id to be undone by: then no request is open.
  'reshare-undo': ['reshare-accepted', 'reshare-permissions', 'reshare-undo'],
};

/** Beginnings that, when the partner never heard of them, need no ending. */
const BEGINNING: Partial<Record<MessageKind, MessageKind>> = {
  'share-unshare': 'share-create',
};

/**
 * Effect of a new message on the open ones of its subject: a later change replaces an unsent earlier one, an end
 * replaces everything unsent, and where the partner cannot know the beginning, nothing is sent at all. A message that
 * is being sent is left alone: whether it arrives is not known yet.
 */
export function coalesce(open: readonly OpenMessage[], kind: MessageKind): Coalesced {
  const replaced = open.filter(
    (message) => message.state !== 'inflight' && REPLACES[kind].includes(message.kind),
  );
  const unheard = replaced.some(
    (message) => message.kind === BEGINNING[kind] && message.attempts === 0 && !message.maybeDelivered,
  );
  return { superseded: replaced.map((message) => message.messageId), needed: !unheard };
}
