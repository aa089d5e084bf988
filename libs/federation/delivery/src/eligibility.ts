import { isOpen, type MessageState, type Subject } from './message';

/** A message as far as the order of deliveries looks at it. */
export interface OrderedMessage {
  /** Grows in the order in which the messages of one subject were written. */
  readonly messageId: number;
  readonly subject: Subject;
  readonly state: MessageState;
  /** Not before this moment; milliseconds since the epoch. */
  readonly availableAtMs: number;
}

const subjectKey = ({ type, id }: Subject): string => `${type}/${id}`;

/** Of each subject only the first open message may be sent: those of them that are due, longest due first. */
export function eligible<M extends OrderedMessage>(messages: readonly M[], nowMs: number): M[] {
  const first = new Map<string, M>();
  for (const message of messages) {
    const known = first.get(subjectKey(message.subject));
    if (isOpen(message.state) && (!known || message.messageId < known.messageId))
      first.set(subjectKey(message.subject), message);
  }
  return [...first.values()]
    .filter((message) => message.state === 'pending' && message.availableAtMs <= nowMs)
    .sort((a, b) => a.availableAtMs - b.availableAtMs || a.messageId - b.messageId);
}
