import { Injectable } from '@nestjs/common';
import { Database, type Queryable } from '../../database';
import { statement } from '../../statement';
import { TROUBLE, type PartnerTrouble } from '../partners/partner-gate.repository';
import { NOTIFYING_APP, REMOTE_SHARE } from './received-share-notice.repository';
import type { RemoteRoot } from '../files/remote-node.repository';
import { NOTE_ROOT } from '../files/remote-share-statements';

/** A received share whose server is probed now, by whoever claimed it. Times are UNIX milliseconds of the database's clock. */
export interface ClaimedProbe {
  readonly receivedShareId: number;
  readonly peerId: number;
  readonly hostKey: string;
  readonly dialect: string;
  readonly providerId: string;
  readonly name: string;
  readonly access: Readonly<Record<string, unknown>>;
  readonly sealedSecret: Buffer;
  readonly recipientUid: string;
  readonly fileTarget: string | null;
  readonly state: 'pending' | 'accepted' | 'quarantined' | 'gone';
  readonly verified: boolean;
  readonly failedProbes: number;
  readonly unreachableSinceMs: number | null;
  readonly quarantinedAtMs: number | null;
  readonly goneAtMs: number | null;
  /** ETag of its root the last time; null where it was never seen. */
  readonly etag: string | null;
  readonly recipientIsActive: boolean;
  readonly nowMs: number;
  /** Trouble with its server; null where there is none. */
  readonly trouble: PartnerTrouble | null;
  readonly askedAt: Date;
}

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
  /** Where a share that comes back stands in its recipient's tree; null leaves it where it is. */
  readonly fileTarget: string | null;
}

/** A folder of a received share whose entries were read before. */
export interface ListedFolder {
  readonly path: string;
  /** ETag that its server gave it; null where that is not known. */
  readonly partnerEtag: string | null;
}

/** A client signs in with its password once a day at least: one more day for users who come every day. */
const ACTIVE_FOR = `interval '2 days'`;
const MS = (column: string): string => `(extract(epoch FROM ${column}) * 1000)::double precision`;

/**
 * Partners with shares to look at, longest due first. Those whose files are away are left out, and those that messages
 * keep busy.
 */
export const CLAIM_PARTNERS = statement<{ id: number }>(
  'share_watch.claim_partners',
  `WITH due AS (
     SELECT p.id FROM peer p JOIN peer host ON host.id = p.host_id
     CROSS JOIN LATERAL (SELECT r.look_at FROM received_share r
       WHERE r.peer_id = p.id AND r.look_at <= now() ORDER BY r.look_at LIMIT 1) oldest
     WHERE NOT host.paused AND host.trust <> 'denied' AND (p.looks_after IS NULL OR p.looks_after <= now())
       AND (host.content_shut_until IS NULL OR host.content_shut_until <= now())
       AND host.concurrency > (SELECT count(*) FROM peer a JOIN outbox_message m ON m.peer_id = a.id
         WHERE a.host_id = host.id AND m.state IN ('queued', 'inflight'))
     ORDER BY oldest.look_at LIMIT $1
     FOR NO KEY UPDATE OF p SKIP LOCKED
   )
   UPDATE peer p SET looks_after = now() + $2::int * interval '1 millisecond' FROM due WHERE p.id = due.id RETURNING p.id`,
);

export const CLAIM_SHARES = statement<ClaimedProbe & { hasExpired: boolean }>(
  'share_watch.claim_shares',
  `WITH due AS MATERIALIZED (
     SELECT one.id FROM unnest($1::bigint[]) AS partner (id)
     CROSS JOIN LATERAL (SELECT r.id FROM received_share r
       WHERE r.peer_id = partner.id AND r.look_at <= now() ORDER BY r.look_at LIMIT $2
       FOR NO KEY UPDATE SKIP LOCKED) one
   )
   UPDATE received_share r SET look_at = CASE WHEN r.expires_at <= now() THEN NULL
     ELSE now() + $3::int * interval '1 millisecond' END
   FROM due, peer p, peer host, user_account a
   WHERE r.id = due.id AND p.id = r.peer_id AND host.id = p.host_id AND a.uid = r.recipient_uid
   RETURNING r.id AS "receivedShareId", r.peer_id AS "peerId", p.host_key AS "hostKey", r.dialect, r.provider_id AS "providerId",
     r.name, r.access, r.token_enc AS "sealedSecret", r.recipient_uid AS "recipientUid", r.file_target AS "fileTarget", r.state,
     r.verified, r.failed_probes AS "failedProbes", ${MS('r.unreachable_since')} AS "unreachableSinceMs",
     ${MS('r.quarantined_at')} AS "quarantinedAtMs", ${MS('r.gone_at')} AS "goneAtMs", r.etag,
     coalesce(a.last_login_at > now() - ${ACTIVE_FOR}, false) AS "recipientIsActive", ${MS('now()')} AS "nowMs",
     ${TROUBLE}, now() AS "askedAt", r.look_at IS NULL AS "hasExpired"`,
);

const LEAVE_PARTNER = statement(
  'share_watch.leave_partner',
  `UPDATE peer SET looks_after = now() + $2::bigint * interval '1 millisecond' WHERE id = $1`,
);

/** A decision that was made on the share meanwhile is kept. */
const finishing = (
  state: string,
): string => `UPDATE received_share SET ${state}verified = $3, failed_probes = $4,
     unreachable_since = to_timestamp($5::double precision / 1000), quarantined_at = to_timestamp($6::double precision / 1000),
     gone_at = to_timestamp($7::double precision / 1000), look_at = to_timestamp($8::double precision / 1000),
     file_target = coalesce($9, file_target), last_probe_at = now()
   WHERE id = $1 AND state = $2 RETURNING id`;
const FINISH = statement<{ id: number }>('share_watch.finish', finishing(''));
/** Apart from the other: whatever mentions the state has its triggers run, and most probes change nothing. */
const FINISH_CHANGED = statement<{ id: number }>('share_watch.finish_changed', finishing('state = $10, '));

const NOTE_DOUBT = statement(
  'share_watch.note_doubt',
  `UPDATE notification SET message = $3 WHERE uid = $1 AND app = '${NOTIFYING_APP}' AND object_type = '${REMOTE_SHARE}'
     AND object_id = $2::text AND message <> $3`,
);

const ANNOUNCE_FIRST_PROBE = statement(
  'share_watch.announce_first_probe',
  `SELECT pg_notify('drawbridge_changes', 'first-look:' || $1)`,
);

const LISTED_FOLDERS = statement<ListedFolder>(
  'share_watch.listed_folders',
  `SELECT n.path, n.partner_etag AS "partnerEtag" FROM storage st JOIN node n ON n.storage_id = st.id
   WHERE st.received_share_id = $1 AND n.kind = 'folder' AND n.listed_at IS NOT NULL ORDER BY n.listed_at DESC LIMIT $2`,
);

const FORGET_ENDED = statement<{ id: number }>(
  'share_watch.forget_ended',
  `DELETE FROM received_share WHERE id IN (
     SELECT id FROM received_share WHERE state = 'gone' AND gone_at < now() - $1::int * interval '1 day'
     ORDER BY gone_at LIMIT $2 FOR UPDATE SKIP LOCKED
   ) RETURNING id`,
);

/** Received shares, as far as their servers are probed again and again. */
@Injectable()
export class ShareWatchRepository {
  constructor(private readonly database: Database) {}

  /**
   * Claims shares that are due, longest due first: of each partner at most so many, and no other worker claims any of
   * the same partner until it is released or the lease ends. Expired shares are not probed.
   */
  claim(partners: number, sharesPerPartner: number, leaseMs: number): Promise<ClaimedProbe[]> {
    return this.database.transaction(async (transaction) => {
      const due = await transaction.rows(CLAIM_PARTNERS, [partners, leaseMs]);
      if (due.length === 0) return [];
      const values = [due.map(({ id }) => id), sharesPerPartner, leaseMs];
      const claimed = await transaction.rows(CLAIM_SHARES, values);
      return claimed.filter(({ hasExpired }) => !hasExpired);
    });
  }

  /** Holds back probes of this partner's shares for so long. */
  async leavePartner(peerId: number, forMs: number): Promise<void> {
    await this.database.rows(LEAVE_PARTNER, [peerId, forMs]);
  }

  /** Writes down what a probe came to. @returns false where the share was decided on meanwhile */
  async finish(
    probe: ClaimedProbe,
    result: FinishedProbe,
    transaction: Queryable = this.database,
  ): Promise<boolean> {
    const { state, verified, failedProbes, fileTarget } = result;
    const times = [result.unreachableSinceMs, result.quarantinedAtMs, result.goneAtMs, result.nextProbeAtMs];
    const values = [probe.receivedShareId, probe.state, verified, failedProbes, ...times, fileTarget];
    const finished =
      state === probe.state
        ? await transaction.rows(FINISH, values)
        : await transaction.rows(FINISH_CHANGED, [...values, state]);
    return finished.length > 0;
  }

  /** Stores an offered share as its server describes it. */
  async noteOffered(receivedShareId: number, root: RemoteRoot): Promise<void> {
    const { kind, mimetype, size, mtime, etag, permissions } = root;
    await this.database.rows(NOTE_ROOT, [receivedShareId, kind, mimetype, size, mtime, etag, permissions]);
  }

  /** @param doubt what the recipient of an offer is told besides; `''` for nothing */
  async noteDoubt(probe: ClaimedProbe, doubt: string): Promise<void> {
    await this.database.rows(NOTE_DOUBT, [probe.recipientUid, probe.receivedShareId, doubt]);
  }

  /** A recipient may wait for what the first probe at an accepted share came to. */
  async announceFirstProbe({ recipientUid }: ClaimedProbe): Promise<void> {
    await this.database.rows(ANNOUNCE_FIRST_PROBE, [recipientUid]);
  }

  /** Folders of the share that somebody read, latest first. */
  listedFolders(receivedShareId: number, limit: number): Promise<ListedFolder[]> {
    return this.database.rows(LISTED_FOLDERS, [receivedShareId, limit]);
  }

  /** Deletes at most `limit` shares that ended more than `days` ago. @returns how many */
  async forgetEnded(days: number, limit: number): Promise<number> {
    return (await this.database.rows(FORGET_ENDED, [days, limit])).length;
  }
}
