/**
 * Number of messages under way by host, as the table `busy` with one row for `underWayAt`. It is an object, since a join would be a
 * nested loop if the planner expects few hosts and finds many.
 */
export const UNDER_WAY = `busy AS MATERIALIZED (
     SELECT jsonb_object_agg(one.host_id, one.messages) AS by_host FROM (
       SELECT a.host_id, count(*) AS messages FROM outbox_message m JOIN peer a ON a.id = m.peer_id
       WHERE m.state IN ('queued', 'inflight') GROUP BY 1
     ) one
   )`;
/** @param host id of a partner's host. @returns number of its messages under way */
export const underWayAt = (host: string): string =>
  `coalesce(((SELECT by_host FROM busy) ->> ${host}::text)::int, 0)`;
