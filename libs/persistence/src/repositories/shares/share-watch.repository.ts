import { Injectable } from '@nestjs/common';
import type { RoundLimits } from '#federation/exchange';
import { TAKES_CONTENT_CHANGES } from '#federation/protocol';
import { Database, type Queryable } from '../../database';
import {
  array,
  bool,
  float8,
  int2,
  int4,
  int8,
  jsonText,
  nullable,
  type RowOf,
  text,
} from '../../postgres-types';
import { statement } from '../../statement';
import { IS_LATEST, LIFETIMES, SENT_AGAIN } from '../deliveries/replay-sql';
import { NOTIFYING_APP, REMOTE_SHARE } from '../accounts/notified-objects';
import type { RemoteRoot } from '../files/remote-node.repository';
import { LISTED } from '../../received-states';
import { NOTE_ROOT } from '../files/remote-share-statements';
import { walkOn, type Search } from '../partners/partner-walk';
import { CLAIM_PARTNERS, CLAIM_SHARES, WALK, type ClaimedProbe } from './probe-claim-statements';

export type { ClaimedProbe } from './probe-claim-statements';

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

export interface ClaimedProbes {
  readonly probes: readonly ClaimedProbe[];
  /** Partners that were not looked at: they come next. */
  readonly rest: Search;
}

const LEAVE_PARTNER = statement({
  name: 'share_watch.leave_partner',
  params: { peerId: int8, untilMs: float8 },
  row: { inMs: nullable(float8) },
  sql: `UPDATE peer p SET looks_after = to_timestamp(:untilMs::double precision / 1000) WHERE id = :peerId
   RETURNING (SELECT extract(epoch FROM greatest(r.look_at, p.looks_after) - clock_timestamp()) * 1000 FROM received_share r
     WHERE r.peer_id = p.id AND r.look_at IS NOT NULL ORDER BY r.look_at LIMIT 1)::double precision AS "inMs"`,
});

/** Ends the lease of partners that get no visit now, because other workers have locked all of their due shares. */
const RELEASE_PARTNERS = statement({
  name: 'share_watch.release_partners',
  params: { ids: array(int8) },
  sql: `UPDATE peer SET looks_after = NULL WHERE id = ANY (:ids::bigint[])`,
});

/**
 * Keeps a decision that was made on the share in the meantime, and a request for another probe: the probe that ends now may have
 * read the content before it changed. During a probe, the time of the next probe is the end of the lease. It also keeps what a reader noted
 * in the meantime of a failure or its end, unless the probe decides on that.
 */
const finishing = (
  state: string,
): string => `UPDATE received_share SET ${state}verified = :verified, failed_probes = :failedProbes,
     unreachable_since = CASE WHEN :decidesReach THEN to_timestamp(:unreachableSinceMs::double precision / 1000) ELSE unreachable_since END,
     quarantined_at = to_timestamp(:quarantinedAtMs::double precision / 1000),
     gone_at = to_timestamp(:goneAtMs::double precision / 1000), look_at = CASE WHEN look_at <= now() THEN look_at
     ELSE to_timestamp(:nextProbeAtMs::double precision / 1000) END,
     file_target = coalesce(:fileTarget, file_target), last_probe_at = now()
   WHERE id = :receivedShareId AND state = :state RETURNING id`;
const FINISHED = {
  receivedShareId: int8,
  state: text,
  verified: bool,
  failedProbes: int2,
  decidesReach: bool,
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

/** A message that the partner refused is not repeated, and an older one than the last decision neither. */
const REPEAT_ACCEPTANCE = statement({
  name: 'share_watch.repeat_acceptance',
  params: { receivedShareId: int8, lifetimes: jsonText },
  sql: `WITH repeated AS (
     UPDATE outbox_message m SET ${SENT_AGAIN}
     WHERE m.subject_type = 'received-share' AND m.subject_id = :receivedShareId AND m.kind = 'received-accept' AND m.state = 'dead' AND ${IS_LATEST}
     RETURNING id
   ) SELECT pg_notify('drawbridge_changes', 'outbox:') FROM repeated`,
});

const LISTED_FOLDERS = statement({
  name: 'share_watch.listed_folders',
  params: { receivedShareId: int8, limit: int8 },
  row: LISTED_FOLDER,
  sql: `SELECT n.path, n.partner_etag AS "partnerEtag" FROM storage st JOIN node n ON n.storage_id = st.id
   WHERE st.received_share_id = :receivedShareId AND n.kind = 'folder' AND n.listed_at IS NOT NULL ORDER BY n.listed_at DESC LIMIT :limit`,
});

/** Until then its owner's server may say that it has a later last day. Its mount goes, and all that was shared on from there. */
const END_EXPIRED = statement({
  name: 'share_watch.end_expired',
  params: { days: int4, limit: int8 },
  row: { id: int8 },
  sql: `WITH expired AS (
     UPDATE received_share SET state = 'gone', gone_at = now(), revision = revision + 1, file_target = NULL, look_at = NULL
     WHERE id = ANY (ARRAY(
       SELECT id FROM received_share WHERE expires_at < now() - :days::int * interval '1 day' AND state IN ${LISTED}
       ORDER BY expires_at LIMIT :limit FOR UPDATE SKIP LOCKED
     )) RETURNING id, recipient_uid
   ), silenced AS (
     DELETE FROM notification n USING expired e
     WHERE n.uid = e.recipient_uid AND n.app = '${NOTIFYING_APP}' AND n.object_type = '${REMOTE_SHARE}' AND n.object_id = e.id::text
   )
   SELECT id FROM expired`,
});

const FORGET_ENDED = statement({
  name: 'share_watch.forget_ended',
  params: { days: int4, limit: int8 },
  row: { id: int8 },
  sql: `DELETE FROM received_share WHERE id = ANY (ARRAY(
     SELECT id FROM received_share WHERE state = 'gone' AND gone_at < now() - :days::int * interval '1 day'
     ORDER BY gone_at LIMIT :limit FOR UPDATE SKIP LOCKED
   )) RETURNING id`,
});

/** Received shares whose servers are probed regularly. */
@Injectable()
export class ShareWatchRepository {
  constructor(private readonly database: Database) {}

  /**
   * Claims due shares, with a maximum of shares per partner and of partners. No other worker claims any of the same partners until
   * they are released or the lease ends. Expired shares are not probed.
   */
  claim(search: Search, { partners, sharesPerPartner, leaseMs }: RoundLimits): Promise<ClaimedProbes> {
    return this.database.transaction(async (transaction) => {
      const { peers, after } = await walkOn(transaction, WALK, search);
      const rest = { peers: peers.slice(partners), after };
      const asked = peers.slice(0, partners);
      const due = asked.length > 0 ? await transaction.rows(CLAIM_PARTNERS, { peers: asked, leaseMs }) : [];
      if (due.length === 0) return { probes: [], rest };
      const claimed = await transaction.rows(CLAIM_SHARES, {
        ids: due.map(({ id }) => id),
        sharesPerPartner,
        leaseMs,
        tells: TAKES_CONTENT_CHANGES,
      });
      const probes = claimed.filter(({ hasExpired }) => !hasExpired);
      const visited = new Set(probes.map(({ peerId }) => peerId));
      const idle = due.map(({ id }) => id).filter((id) => !visited.has(id));
      if (idle.length > 0) await transaction.rows(RELEASE_PARTNERS, { ids: idle });
      return { probes, rest };
    });
  }

  /**
   * Delays the probes of this partner's shares.
   * @param untilMs UNIX milliseconds of the database's clock
   * @returns milliseconds until its next probe is due; null if it has none
   */
  async leavePartner(peerId: number, untilMs: number): Promise<number | null> {
    return (await this.database.rows(LEAVE_PARTNER, { peerId, untilMs }))[0]?.inMs ?? null;
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
      decidesReach: result.unreachableSinceMs !== probe.unreachableSinceMs,
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

  /** Sends the acceptance of a share again if it was given up. */
  async repeatAcceptance({ receivedShareId }: ClaimedProbe): Promise<void> {
    await this.database.rows(REPEAT_ACCEPTANCE, { receivedShareId, lifetimes: LIFETIMES });
  }

  /** Folders of the share that somebody read, the latest first. */
  listedFolders(receivedShareId: number, limit: number): Promise<ListedFolder[]> {
    return this.database.rows(LISTED_FOLDERS, { receivedShareId, limit });
  }

  /** Ends at most `limit` shares that expired more than `days` ago. @returns how many */
  async endExpired(days: number, limit: number): Promise<number> {
    return (await this.database.rows(END_EXPIRED, { days, limit })).length;
  }

  /** Deletes at most `limit` shares that ended more than `days` ago. @returns how many */
  async forgetEnded(days: number, limit: number): Promise<number> {
    return (await this.database.rows(FORGET_ENDED, { days, limit })).length;
  }
}
