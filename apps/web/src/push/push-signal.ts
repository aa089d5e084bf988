/** News for a client, in the words of `notify_push`: its files, its notifications, or its shares changed. */
export const PUSH_SIGNALS = ['file', 'activity', 'notification'] as const;
export type PushSignal = (typeof PUSH_SIGNALS)[number];

/** Maximum of changed nodes in one message; beyond that, the message only says that something changed. */
const MOST_NODES = 1000;

/** Changed nodes that were not sent on a connection yet; `unknown` if not all of them are known. */
export type ChangedNodes = Set<number> | 'unknown';

/** Adds the newly changed nodes to `known`. */
export function joinedNodes(
  known: ChangedNodes | undefined,
  more: readonly number[] | undefined,
): ChangedNodes {
  if (known === 'unknown' || more === undefined) return 'unknown';
  const joined = known ?? new Set<number>();
  for (const id of more) joined.add(id);
  return joined.size > MOST_NODES ? 'unknown' : joined;
}
