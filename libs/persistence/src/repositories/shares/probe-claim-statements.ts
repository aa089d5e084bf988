import { IN_USE_FOR_MS, type ShareUse } from '#federation/exchange';
import type { NodeKind } from '#sharing';
import {
  array,
  bool,
  float8,
  int2,
  int4,
  int8,
  json,
  jsonb,
  nullable,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../postgres-types';
import { statement } from '../../statement';
import { REACHED_COLUMNS, REACHED_SHARE } from '../files/remote-share-statements';
import { TROUBLE, type PartnerTrouble } from '../partners/partner-gate.repository';
import { messagesUnderWay, partnerWalk } from '../partners/partner-walk';

/** A received share whose server is probed now, by the holder of the claim. Times are UNIX milliseconds of the database's clock. */
const CLAIMED_PROBE = {
  ...REACHED_SHARE,
  recipientUid: text,
  fileTarget: nullable(text),
  kind: nullable(textOf<NodeKind>()),
  state: textOf<'pending' | 'accepted' | 'quarantined' | 'gone'>(),
  verified: bool,
  failedProbes: int2,
  unreachableSinceMs: nullable(float8),
  quarantinedAtMs: nullable(float8),
  goneAtMs: nullable(float8),
  /** ETag of its root at the last probe; null if it was never seen. */
  etag: nullable(text),
  use: json<ShareUse>(),
  nowMs: float8,
  /** Trouble with its server; null if there is none. */
  trouble: nullable(jsonb<PartnerTrouble>()),
  askedAt: timestamptz,
};
export type ClaimedProbe = RowOf<typeof CLAIMED_PROBE>;

/** A client signs in with its password at least once a day; one day more covers users who come every day. */
const ACTIVE_FOR = `interval '2 days'`;
/** @param share alias of the received share */
const IN_USE = (share: string): string =>
  `${share}.used_at > now() - ${IN_USE_FOR_MS} * interval '1 millisecond'`;
const MS = (column: string): string => `(extract(epoch FROM ${column}) * 1000)::double precision`;

/**
 * Whether the server of the received share `r` knows of its acceptance, without which it reports no changes. Finished messages are
 * deleted after a time; one that was given up stays.
 */
const ACCEPTANCE_IS_KNOWN = `coalesce((SELECT m.state IN ('delivered', 'not-sent', 'superseded') FROM outbox_message m
         WHERE m.subject_type = 'received-share' AND m.subject_id = r.id AND m.kind = 'received-accept' ORDER BY m.id DESC LIMIT 1), true)`;

/** Partners with shares that are probed regularly. */
export const WALK = partnerWalk('share_watch.walk', {
  table: 'received_share',
  dueAt: 'look_at',
  where: 'look_at IS NOT NULL',
});

/**
 * Those of some partners that have due shares. Left out are partners whose files are away, and partners that are busy with messages. The
 * planner cannot know how few shares and messages a partner has, so they are looked up for each partner rather than joined.
 */
export const CLAIM_PARTNERS = statement({
  name: 'share_watch.claim_partners',
  params: { peers: array(int8), leaseMs: int4 },
  row: { id: int8 },
  sql: `WITH overdue AS MATERIALIZED (
     SELECT p.id, p.host_id FROM peer p CROSS JOIN LATERAL (SELECT r.look_at FROM received_share r
       WHERE r.peer_id = p.id AND r.look_at IS NOT NULL ORDER BY r.look_at LIMIT 1) first
     WHERE p.id = ANY (:peers::bigint[]) AND first.look_at <= now()
   ), due AS (
     SELECT p.id FROM peer p JOIN peer host ON host.id = p.host_id
     WHERE p.id = ANY (ARRAY(SELECT id FROM overdue)) AND host.id = ANY (ARRAY(SELECT host_id FROM overdue))
       AND NOT host.paused AND host.trust <> 'denied' AND (p.looks_after IS NULL OR p.looks_after <= now())
       AND (host.content_shut_until IS NULL OR host.content_shut_until <= now())
       AND host.concurrency > (SELECT sum(${messagesUnderWay('a.id')}) FROM peer a WHERE a.host_id = host.id)
     FOR NO KEY UPDATE OF p SKIP LOCKED
   )
   UPDATE peer p SET looks_after = now() + :leaseMs::int * interval '1 millisecond' FROM due WHERE p.id = due.id RETURNING p.id`,
});

export const CLAIM_SHARES = statement({
  name: 'share_watch.claim_shares',
  params: { ids: array(int8), sharesPerPartner: int8, leaseMs: int4, tells: text },
  row: { ...CLAIMED_PROBE, hasExpired: bool },
  sql: `WITH due AS MATERIALIZED (
     SELECT one.id, in_use.shares FROM unnest(:ids::bigint[]) AS partner (id)
     CROSS JOIN LATERAL (SELECT count(*) AS shares FROM received_share used WHERE used.peer_id = partner.id AND ${IN_USE('used')}) in_use
     CROSS JOIN LATERAL (SELECT r.id FROM received_share r
       WHERE r.peer_id = partner.id AND r.look_at <= now() ORDER BY r.look_at LIMIT :sharesPerPartner
       FOR NO KEY UPDATE SKIP LOCKED) one
   )
   UPDATE received_share r SET look_at = CASE WHEN r.expires_at <= now() THEN NULL
     ELSE now() + :leaseMs::int * interval '1 millisecond' END
   FROM due, peer p, peer host, user_account a
   WHERE r.id = due.id AND p.id = r.peer_id AND host.id = p.host_id AND a.uid = r.recipient_uid
   RETURNING ${REACHED_COLUMNS}, r.recipient_uid AS "recipientUid", r.file_target AS "fileTarget", r.kind, r.state,
     r.verified, r.failed_probes AS "failedProbes", ${MS('r.unreachable_since')} AS "unreachableSinceMs",
     ${MS('r.quarantined_at')} AS "quarantinedAtMs", ${MS('r.gone_at')} AS "goneAtMs", r.etag,
     json_build_object('recipientIsActive', coalesce(a.last_login_at > now() - ${ACTIVE_FOR}, false), 'isInUse', coalesce(${IN_USE('r')}, false),
       'inUseThere', due.shares,
       'partnerReports', coalesce(coalesce(host.pinned_profile, host.profile) -> 'capabilities' ? :tells, false) AND ${ACCEPTANCE_IS_KNOWN}) AS use, ${MS('now()')} AS "nowMs",
     ${TROUBLE}, now() AS "askedAt", r.look_at IS NULL AS "hasExpired"`,
});
