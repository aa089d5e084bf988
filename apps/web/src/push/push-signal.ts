/** News for a client, in the words of `notify_push`: its files, its notifications, or its given shares changed. */
export const PUSH_SIGNALS = ['file', 'activity', 'notification'] as const;
export type PushSignal = (typeof PUSH_SIGNALS)[number];

/** Changed nodes that a client may be notified of in one message; beyond that it is notified that something changed. */
const MOST_NODES = 1000;

/** Changed nodes that a connection was not notified of yet; `unknown` where they are not all known. */
export type ChangedNodes = Set<number> | 'unknown';

/** `known` with the nodes that were changed since. */
export function joinedNodes(
  known: ChangedNodes | undefined,
  more: readonly number[] | undefined,
): ChangedNodes {
  if (known === 'unknown' || more === undefined) return 'unknown';
  const joined = known ?? new Set<number>();
  for (const id of more) joined.add(id);
  return joined.size > MOST_NODES ? 'unknown' : joined;
}
