/** An event of a share, as the audit log stores it. */
export interface RecordedEvent {
  readonly at: Date;
  readonly actorKind: 'user' | 'partner' | 'operator' | 'system';
  readonly actor: string | null;
  readonly action: string;
  readonly outcome: 'done' | 'refused';
  readonly detail: Readonly<Record<string, unknown>>;
}

/** A message about a share to a partner. */
export interface RecordedMessage {
  readonly createdAt: Date;
  /** null while it is not finished. */
  readonly finishedAt: Date | null;
  readonly kind: string;
  readonly state: string;
  /** Host of the partner. */
  readonly partner: string;
  readonly attempts: number;
  /** Time of the next attempt; null when there is none. */
  readonly nextAttemptAt: Date | null;
  /** Words of the partner, or the failure. */
  readonly reason: string | null;
  /** Trace id; null for none. */
  readonly traceId: string | null;
}

/** One step in the life of a share. */
export interface TimelineEntry {
  readonly at: Date;
  readonly event: TimelineEvent;
  readonly actorKind: RecordedEvent['actorKind'];
  readonly actor: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Steps by audit action. */
const EVENTS = {
  'share.create': 'created',
  'reshare.grant': 'created',
  'reshare.granted': 'granted',
  'share.update': 'changed',
  'share.see': 'seen',
  'share.accept': 'accepted',
  'share.decline': 'declined',
  'share.leave': 'left',
  'share.reconsider': 'reconsidered',
  'share.read': 'first-read',
  'share.answer': 'refused',
  'share.hide': 'hidden',
  'share.return': 'returned',
  'share.remind': 'expiring',
  'share.expire': 'expired',
  'share.delete': 'ended',
} as const;

/** Steps by state of a message. */
const OUTCOMES: Readonly<Record<string, 'delivered' | 'not-sent' | 'refused' | 'given-up' | 'cancelled'>> = {
  delivered: 'delivered',
  'not-sent': 'not-sent',
  refused: 'refused',
  dead: 'given-up',
  cancelled: 'cancelled',
};

type TimelineEvent = (typeof EVENTS)[keyof typeof EVENTS] | (typeof OUTCOMES)[string] | 'waiting';

/** Actions of the audit log that are steps of shares. */
export const SHARE_STEPS: readonly string[] = Object.keys(EVENTS);

/** An event of one of a user's shares. */
export interface RecordedActivity extends RecordedEvent {
  readonly id: number;
  readonly shareId: string;
  readonly recipient: string | null;
  /** Name of the file or folder; null if it is gone. */
  readonly name: string | null;
}

/** One step in the life of a user's shares. */
export interface ActivityEntry extends TimelineEntry {
  readonly id: number;
  readonly shareId: string;
  readonly recipient: string | null;
  readonly name: string | null;
}

/** Details of the audit log that everybody who sees the share knows anyway. */
const KNOWN_OF_SHARE = ['type', 'node', 'owner', 'initiator'];

/**
 * The life of a share from first to last step: decisions here and at the partner, deliveries of messages, and the first
 * read. Audit events that are no step of a share are left out.
 */
export function timelineOf(
  events: readonly RecordedEvent[],
  messages: readonly RecordedMessage[],
): TimelineEntry[] {
  const entries = [...events.flatMap(entryOfEvent), ...messages.flatMap(entryOfMessage)];
  return entries.sort((one, other) => one.at.getTime() - other.at.getTime());
}

/** Steps of several shares, in the order of the given events. */
export const activityOf = (events: readonly RecordedActivity[]): ActivityEntry[] =>
  events.flatMap(({ id, shareId, recipient, name, ...event }) =>
    entryOfEvent(event).map((entry) => ({ ...entry, id, shareId, recipient, name })),
  );

function entryOfEvent({ action, at, actorKind, actor, detail }: RecordedEvent): TimelineEntry[] {
  const event = EVENTS[action as keyof typeof EVENTS] as TimelineEvent | undefined;
  if (event === undefined) return [];
  const told = Object.entries(detail).filter(
    ([name, value]) => value !== null && !KNOWN_OF_SHARE.includes(name),
  );
  return [{ at, event, actorKind, actor, details: Object.fromEntries(told) }];
}

/** A message is no step if a later one replaced it, or if it waits for its first attempt. */
function entryOfMessage(message: RecordedMessage): TimelineEntry[] {
  const { kind, state, partner, attempts, reason, nextAttemptAt, traceId } = message;
  const isWaiting = message.finishedAt === null && attempts > 0;
  const event = isWaiting ? 'waiting' : OUTCOMES[state];
  if (event === undefined) return [];
  const details = {
    message: kind,
    attempts,
    ...(event !== 'delivered' && reason !== null && { reason }),
    ...(isWaiting && nextAttemptAt && { nextAttempt: Math.floor(nextAttemptAt.getTime() / 1000) }),
    ...(traceId !== null && { traceId }),
  };
  const at = message.finishedAt ?? message.createdAt;
  return [{ at, event, actorKind: 'partner', actor: partner, details }];
}
