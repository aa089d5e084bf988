import { statement } from '../../statement';
import { TROUBLE, type PartnerTrouble } from '../partners/partner-gate.repository';

/** A mounted received share, as whoever asks its partner for content needs it. */
export interface MountedShareRow {
  readonly receivedShareId: number;
  readonly peerId: number;
  readonly hostKey: string;
  readonly dialect: string;
  readonly providerId: string;
  readonly name: string;
  readonly access: Readonly<Record<string, unknown>>;
  readonly sealedSecret: Buffer;
  readonly storageId: number;
  /** Time since which its partner has not shown it; null when it did the last time. */
  readonly unreachableSince: Date | null;
  /** Trouble with the partner; null where there is none. */
  readonly trouble: PartnerTrouble | null;
  /** The database's clock. */
  readonly askedAt: Date;
}

const MOUNTED = `r.state IN ('accepted', 'quarantined') AND (r.expires_at IS NULL OR r.expires_at > now())`;

export const FIND_MOUNTED = statement<MountedShareRow>(
  'remote_share.find_mounted',
  `SELECT r.id AS "receivedShareId", r.peer_id AS "peerId", p.host_key AS "hostKey", r.dialect, r.provider_id AS "providerId",
     r.name, r.access, r.token_enc AS "sealedSecret", st.id AS "storageId", r.unreachable_since AS "unreachableSince",
     ${TROUBLE}, now() AS "askedAt"
   FROM received_share r JOIN peer p ON p.id = r.peer_id JOIN peer host ON host.id = p.host_id
   JOIN storage st ON st.received_share_id = r.id WHERE r.id = $1 AND ${MOUNTED}`,
);

/** Locks the share's row, as every change of its cached content does. */
export const LOCK_MOUNTED = statement<{ storageId: number; isOutdated: boolean }>(
  'remote_share.lock_mounted',
  `SELECT st.id AS "storageId", coalesce(st.changed_at > $2, false) AS "isOutdated"
   FROM received_share r JOIN storage st ON st.received_share_id = r.id
   WHERE r.id = $1 AND ${MOUNTED}
   FOR NO KEY UPDATE OF r`,
);

export const NOTE_CHANGE = statement(
  'remote_share.note_change',
  'UPDATE storage SET changed_at = clock_timestamp() WHERE id = $1',
);

/** Written once a minute at most while nothing else changes: listings are frequent. What quarantine comes to, looks decide. */
export const NOTE_SEEN = statement(
  'remote_share.note_seen',
  `UPDATE received_share SET last_seen_at = now(), unreachable_since = NULL,
     look_at = CASE state WHEN 'quarantined' THEN least(look_at, now()) ELSE look_at END
   WHERE id = $1 AND (unreachable_since IS NOT NULL OR state = 'quarantined' OR last_seen_at IS NULL
     OR last_seen_at < now() - interval '1 minute')`,
);

export const NOTE_ROOT = statement(
  'remote_share.note_root',
  `UPDATE received_share SET kind = $2, mimetype = $3, size = $4, mtime = $5, etag = $6, permissions = coalesce($7, permissions)
   WHERE id = $1 AND (kind, mimetype, size, mtime, etag, permissions)
     IS DISTINCT FROM ($2::text, $3::text, $4::bigint, $5::timestamptz, $6::text, coalesce($7::smallint, permissions))`,
);

export const NOTE_UNREACHABLE = statement(
  'remote_share.note_unreachable',
  `UPDATE received_share r SET unreachable_since = now() WHERE id = $1 AND unreachable_since IS NULL AND ${MOUNTED}`,
);

/** Everybody who lists the share meets the same odd answer: a probe of its own, ten minutes after the last one, says more. */
export const NOTE_ODD_ANSWER = statement(
  'remote_share.note_odd_answer',
  `UPDATE received_share r SET unreachable_since = coalesce(unreachable_since, now()),
     look_at = least(look_at, greatest(now(), last_probe_at + interval '10 minutes'))
   WHERE id = $1 AND ${MOUNTED}
     AND (unreachable_since IS NULL OR look_at > greatest(now(), last_probe_at + interval '10 minutes'))`,
);
