import type { OcsValue } from '#ocs/protocol';
import type { ActivityEntry, TimelineEntry } from '#sharing';

/** Names of details, as in the records of shares. */
const NAMES: Readonly<Record<string, string>> = {
  recipient: 'share_with',
  expires: 'expiration',
  permissionsBefore: 'permissions_before',
  nextAttempt: 'next_attempt',
  traceId: 'trace_id',
};

/** A step of a timeline; `at` and `next_attempt` in UNIX seconds. */
export function timelineRecord({
  at,
  event,
  actorKind,
  actor,
  details,
}: TimelineEntry): Readonly<Record<string, OcsValue>> {
  const entries = Object.entries(details).map(([name, value]) => [NAMES[name] ?? name, value as OcsValue]);
  return {
    at: Math.floor(at.getTime() / 1000),
    event,
    actor_type: actorKind,
    actor,
    details: Object.fromEntries(entries) as Record<string, OcsValue>,
  };
}

/** The same, with its share. */
export const activityRecord = (entry: ActivityEntry): OcsValue => ({
  ...timelineRecord(entry),
  id: entry.id,
  share: entry.shareId,
  share_with: entry.recipient,
  name: entry.name,
});
