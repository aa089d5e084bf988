import { Injectable } from '@nestjs/common';
import { IN_USE_FOR_MS, type ShareUse } from '#federation/exchange';
import { TAKES_CONTENT_CHANGES } from '#federation/protocol';
import { Database, type Queryable } from '../../database';
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
import { TROUBLE, type PartnerTrouble } from '../partners/partner-gate.repository';
import { UNDER_WAY, underWayAt } from '../partners/under-way-sql';
import { NOTIFYING_APP, REMOTE_SHARE } from '../accounts/notified-objects';
import type { RemoteRoot } from '../files/remote-node.repository';
import { NOTE_ROOT, REACHED_COLUMNS, REACHED_SHARE } from '../files/remote-share-statements';

/** A received share whose server is probed now, by the holder of the claim. Times are UNIX milliseconds of the database's clock. */
const CLAIMED_PROBE = {
  ...REACHED_SHARE,
  recipientUid: text,
  fileTarget: nullable(text),
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

/** Result of a probe. Times are UNIX milliseconds. */
export interface FinishedProbe {
  readonly state: ClaimedProbe['state'];
  readonly verified: boolean;
  readonly failedProbes: number;
  readonly unreachableSinceMs: number | null;
  readonly quarantinedAtMs: number | null;
  readonly goneAtMs: number | null;
  /** null: never. */
  readonly nextProbeAtMs: number | null;
  /** New place of a share that comes back in its recipient's tree; null leaves its place unchanged. */
  readonly fileTarget: string | null;
}

/** A folder of a received share whose entries were read before. */
const LISTED_FOLDER = {
  path: text,
  /** ETag from its server; null if it is not known. */
  partnerEtag: nullable(text),
};
export type ListedFolder = RowOf<typeof LISTED_FOLDER>;

/** A client signs in with its password at least once a day; one day more covers users who come every day. */
const ACTIVE_FOR = `interval '2 days'`;
/** @param share alias of the received share */
const IN_USE = (share: string): string =>
  `${share}.used_at > now() - ${IN_USE_FOR_MS} * interval '1 millisecond'`;
const MS = (column: string): string => `(extract(epoch FROM ${column}) * 1000)::double precision`;

/**
 * Partners with due shares, the longest overdue first. It steps through the index from one partner to the next. Left out are partners whose files are away, and partners that are busy with
 * messages.
 */
export const CLAIM_PARTNERS = statement({
  name: 'share_watch.claim_partners',
  params: { partners: int8, leaseMs: int4 },
  row: { id: int8 },
  sql: `WITH RECURSIVE waiting AS (
     (SELECT r.peer_id, r.look_at FROM received_share r WHERE r.look_at IS NOT NULL ORDER BY r.peer_id, r.look_at LIMIT 1)
     UNION ALL
     SELECT following.peer_id, following.look_at FROM waiting one CROSS JOIN LATERAL (SELECT r.peer_id, r.look_at FROM received_share r
       WHERE r.look_at IS NOT NULL AND r.peer_id > one.peer_id ORDER BY r.peer_id, r.look_at LIMIT 1) following
   ), overdue AS MATERIALIZED (
     SELECT one.peer_id, one.look_at FROM waiting one WHERE one.look_at <= now()
   ), ${UNDER_WAY}, due AS (
     SELECT p.id FROM overdue JOIN peer p ON p.id = overdue.peer_id JOIN peer host ON host.id = p.host_id
     WHERE p.id = ANY (ARRAY(SELECT peer_id FROM overdue)) AND NOT host.paused AND host.trust <> 'denied'
       AND (p.looks_after IS NULL OR p.looks_after <= now())
       AND (host.content_shut_until IS NULL OR host.content_shut_until <= now()) AND host.concurrency > ${underWayAt('host.id')}
     ORDER BY overdue.look_at LIMIT :partners
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
   RETURNING ${REACHED_COLUMNS}, r.recipient_uid AS "recipientUid", r.file_target AS "fileTarget", r.state,
     r.verified, r.failed_probes AS "failedProbes", ${MS('r.unreachable_since')} AS "unreachableSinceMs",
     ${MS('r.quarantined_at')} AS "quarantinedAtMs", ${MS('r.gone_at')} AS "goneAtMs", r.etag,
     json_build_object('recipientIsActive', coalesce(a.last_login_at > now() - ${ACTIVE_FOR}, false), 'isInUse', coalesce(${IN_USE('r')}, false),
       'inUseThere', due.shares,
       'partnerReports', coalesce(coalesce(host.pinned_profile, host.profile) -> 'capabilities' ? :tells, false)) AS use, ${MS('now()')} AS "nowMs",
     ${TROUBLE}, now() AS "askedAt", r.look_at IS NULL AS "hasExpired"`,
});

const LEAVE_PARTNER = statement({
  name: 'share_watch.leave_partner',
  params: { peerId: int8, untilMs: float8 },
  sql: `UPDATE peer SET looks_after = to_timestamp(:untilMs::double precision / 1000) WHERE id = :peerId`,
});

/** Ends the lease of partners that get no visit now, because other workers have locked all of their due shares. */
const RELEASE_PARTNERS = statement({
  name: 'share_watch.release_partners',
  params: { ids: array(int8) },
  sql: `UPDATE peer SET looks_after = NULL WHERE id = ANY (:ids::bigint[])`,
});

/**
 * Keeps a decision that was made on the share in the meantime, and a request for another probe: the probe that ends now may have
 * read the content before it changed. During a probe, the time of the next probe is the end of the lease.
 */
const finishing = (
  state: string,
): string => `UPDATE received_share SET ${state}verified = :verified, failed_probes = :failedProbes,
     unreachable_since = to_timestamp(:unreachableSinceMs::double precision / 1000), quarantined_at = to_timestamp(:quarantinedAtMs::double precision / 1000),
     gone_at = to_timestamp(:goneAtMs::double precision / 1000), look_at = CASE WHEN look_at <= now() THEN look_at
     ELSE to_timestamp(:nextProbeAtMs::double precision / 1000) END,
     file_target = coalesce(:fileTarget, file_target), last_probe_at = now()
   WHERE id = :receivedShareId AND state = :state RETURNING id`;
const FINISHED = {
  receivedShareId: int8,
  state: text,
  verified: bool,
  failedProbes: int2,
  unreachableSinceMs: nullable(float8),
  quarantinedAtMs: nullable(float8),
  goneAtMs: nullable(float8),
  nextProbeAtMs: nullable(float8),
  fileTarget: nullable(text),
};
const FINISH = statement({
  name: 'share_watch.finish',
  params: FINISHED,
  row: { id: int8 },
  sql: finishing(''),
});
/** A separate statement: statements that mention the state run its triggers, and most probes do not change it. */
const FINISH_CHANGED = statement({
  name: 'share_watch.finish_changed',
  params: { ...FINISHED, newState: text },
  row: { id: int8 },
  sql: finishing('state = :newState, '),
});

const NOTE_DOUBT = statement({
  name: 'share_watch.note_doubt',
  params: { recipientUid: text, receivedShareId: int8, doubt: text },
  sql: `UPDATE notification SET message = :doubt WHERE uid = :recipientUid AND app = '${NOTIFYING_APP}' AND object_type = '${REMOTE_SHARE}'
     AND object_id = :receivedShareId::bigint::text AND message <> :doubt`,
});

const ANNOUNCE_FIRST_PROBE = statement({
  name: 'share_watch.announce_first_probe',
  params: { recipientUid: text },
  sql: `SELECT pg_notify('drawbridge_changes', 'first-look:' || :recipientUid)`,
});

const LISTED_FOLDERS = statement({
  name: 'share_watch.listed_folders',
  params: { receivedShareId: int8, limit: int8 },
  row: LISTED_FOLDER,
  sql: `SELECT n.path, n.partner_etag AS "partnerEtag" FROM storage st JOIN node n ON n.storage_id = st.id
   WHERE st.received_share_id = :receivedShareId AND n.kind = 'folder' AND n.listed_at IS NOT NULL ORDER BY n.listed_at DESC LIMIT :limit`,
});

const FORGET_ENDED = statement({
  name: 'share_watch.forget_ended',
  params: { days: int4, limit: int8 },
  row: { id: int8 },
  sql: `DELETE FROM received_share WHERE id IN (
     SELECT id FROM received_share WHERE state = 'gone' AND gone_at < now() - :days::int * interval '1 day'
     ORDER BY gone_at LIMIT :limit FOR UPDATE SKIP LOCKED
   ) RETURNING id`,
});

/** Received shares whose servers are probed regularly. */
@Injectable()
export class ShareWatchRepository {
  constructor(private readonly database: Database) {}

  /**
   * Claims due shares, the longest overdue first, with a maximum per partner. No other worker claims any of
   * the same partners until they are released or the lease ends. Expired shares are not probed.
   */
  claim(partners: number, sharesPerPartner: number, leaseMs: number): Promise<ClaimedProbe[]> {
    return this.database.transaction(async (transaction) => {
      const due = await transaction.rows(CLAIM_PARTNERS, { partners, leaseMs });
      if (due.length === 0) return [];
      const claimed = await transaction.rows(CLAIM_SHARES, {
        ids: due.map(({ id }) => id),
        sharesPerPartner,
        leaseMs,
        tells: TAKES_CONTENT_CHANGES,
      });
      const probed = claimed.filter(({ hasExpired }) => !hasExpired);
      const visited = new Set(probed.map(({ peerId }) => peerId));
      const idle = due.map(({ id }) => id).filter((id) => !visited.has(id));
      if (idle.length > 0) await transaction.rows(RELEASE_PARTNERS, { ids: idle });
      return probed;
    });
  }

  /** Delays the probes of this partner's shares. @param untilMs UNIX milliseconds of the database's clock */
  async leavePartner(peerId: number, untilMs: number): Promise<void> {
    await this.database.rows(LEAVE_PARTNER, { peerId, untilMs });
  }

  /** Stores the result of a probe. @returns false if the share was decided on in the meantime */
  async finish(
    probe: ClaimedProbe,
    result: FinishedProbe,
    transaction: Queryable = this.database,
  ): Promise<boolean> {
    const { state, verified, failedProbes, fileTarget } = result;
    const values = {
      receivedShareId: probe.receivedShareId,
      state: probe.state,
      verified,
      failedProbes,
      unreachableSinceMs: result.unreachableSinceMs,
      quarantinedAtMs: result.quarantinedAtMs,
      goneAtMs: result.goneAtMs,
      nextProbeAtMs: result.nextProbeAtMs,
      fileTarget,
    };
    const finished =
      state === probe.state
        ? await transaction.rows(FINISH, values)
        : await transaction.rows(FINISH_CHANGED, { ...values, newState: state });
    return finished.length > 0;
  }

  /** Stores the server's description of an offered share. */
  async noteOffered(receivedShareId: number, root: RemoteRoot): Promise<void> {
    const { kind, mimetype, size, mtime, etag, permissions } = root;
    await this.database.rows(NOTE_ROOT, { receivedShareId, kind, mimetype, size, mtime, etag, permissions });
  }

  /** @param doubt further text for the recipient of an offer; `''` for none */
  async noteDoubt(probe: ClaimedProbe, doubt: string): Promise<void> {
    await this.database.rows(NOTE_DOUBT, {
      recipientUid: probe.recipientUid,
      receivedShareId: probe.receivedShareId,
      doubt,
    });
  }

  /** Wakes a recipient who waits for the first probe of an accepted share. */
  async announceFirstProbe({ recipientUid }: ClaimedProbe): Promise<void> {
    await this.database.rows(ANNOUNCE_FIRST_PROBE, { recipientUid });
  }

  /** Folders of the share that somebody read, the latest first. */
  listedFolders(receivedShareId: number, limit: number): Promise<ListedFolder[]> {
    return this.database.rows(LISTED_FOLDERS, { receivedShareId, limit });
  }

  /** Deletes at most `limit` shares that ended more than `days` ago. @returns how many */
  async forgetEnded(days: number, limit: number): Promise<number> {
    return (await this.database.rows(FORGET_ENDED, { days, limit })).length;
  }
}
