import { IN_USE_FOR_MS, USE_NOTED_MS } from '#federation/exchange';
import { statement } from '../../statement';
import { TROUBLE, type PartnerTrouble } from '../partners/partner-gate.repository';
import {
  bool,
  bytea,
  int2,
  int4,
  int8,
  jsonb,
  nullable,
  type RowOf,
  text,
  timestamptz,
} from '../../postgres-types';
import { MOUNTED } from '../../received-states';

/** A received share `r` of the partner `p`, with the facts for requesting its content. */
export const REACHED_SHARE = {
  receivedShareId: int8,
  peerId: int8,
  hostKey: text,
  dialect: text,
  providerId: text,
  name: text,
  access: jsonb<Readonly<Record<string, unknown>>>(),
  sealedSecret: bytea,
};
export const REACHED_COLUMNS = `r.id AS "receivedShareId", r.peer_id AS "peerId", p.host_key AS "hostKey", r.dialect,
     r.provider_id AS "providerId", r.name, r.access, r.token_enc AS "sealedSecret"`;

/** A mounted received share. */
const MOUNTED_SHARE_ROW = {
  ...REACHED_SHARE,
  storageId: int4,
  /** Time since which its partner has not shown it; null if the last request succeeded. */
  unreachableSince: nullable(timestamptz),
  /** Trouble with the partner; null if there is none. */
  trouble: nullable(jsonb<PartnerTrouble>()),
  /** Time by the database's clock. */
  askedAt: timestamptz,
};
export type MountedShareRow = RowOf<typeof MOUNTED_SHARE_ROW>;

const UNEXPIRED_MOUNT = `r.state IN ${MOUNTED} AND (r.expires_at IS NULL OR r.expires_at > now())`;

export const FIND_MOUNTED = statement({
  name: 'remote_share.find_mounted',
  isShortRead: true,
  params: { receivedShareId: int8 },
  row: MOUNTED_SHARE_ROW,
  sql: `SELECT ${REACHED_COLUMNS}, st.id AS "storageId", r.unreachable_since AS "unreachableSince",
     ${TROUBLE}, now() AS "askedAt"
   FROM received_share r JOIN peer p ON p.id = r.peer_id JOIN peer host ON host.id = p.host_id
   JOIN storage st ON st.received_share_id = r.id WHERE r.id = :receivedShareId AND ${UNEXPIRED_MOUNT}`,
});

/** Locks the share's row, as every change of its cached content does. */
export const LOCK_MOUNTED = statement({
  name: 'remote_share.lock_mounted',
  params: { receivedShareId: int8, askedAt: timestamptz },
  row: { storageId: int4, isOutdated: bool },
  sql: `SELECT st.id AS "storageId", coalesce(st.changed_at > :askedAt, false) AS "isOutdated"
   FROM received_share r JOIN storage st ON st.received_share_id = r.id
   WHERE r.id = :receivedShareId AND ${UNEXPIRED_MOUNT}
   FOR NO KEY UPDATE OF r`,
});

export const NOTE_CHANGE = statement({
  name: 'remote_share.note_change',
  params: { storageId: int4 },
  sql: 'UPDATE storage SET changed_at = clock_timestamp() WHERE id = :storageId',
});

/** Written at most once a minute while nothing else changes, because listings are frequent. Probes decide how a quarantine ends. */
export const NOTE_SEEN = statement({
  name: 'remote_share.note_seen',
  params: { receivedShareId: int8 },
  sql: `UPDATE received_share SET last_seen_at = now(), unreachable_since = NULL,
     look_at = CASE state WHEN 'quarantined' THEN least(look_at, now()) ELSE look_at END
   WHERE id = :receivedShareId AND (unreachable_since IS NOT NULL OR state = 'quarantined' OR last_seen_at IS NULL
     OR last_seen_at < now() - interval '1 minute')`,
});

/** Use after a pause causes a probe of the share now. A share without files is not among those that clients read. */
export const NOTE_USE = statement({
  name: 'remote_share.note_use',
  params: { uid: text },
  row: { peerId: int8 },
  sql: `UPDATE received_share SET used_at = now(), look_at = CASE WHEN used_at > now() - ${IN_USE_FOR_MS} * interval '1 millisecond' THEN look_at ELSE now() END
   WHERE recipient_uid = :uid AND state = 'accepted' AND file_target IS NOT NULL AND (used_at IS NULL OR used_at < now() - ${USE_NOTED_MS} * interval '1 millisecond')
   RETURNING peer_id AS "peerId"`,
});

export const NOTE_ROOT = statement({
  name: 'remote_share.note_root',
  params: {
    receivedShareId: int8,
    kind: text,
    mimetype: text,
    size: int8,
    mtime: timestamptz,
    etag: text,
    permissions: nullable(int2),
  },
  sql: `UPDATE received_share SET kind = :kind, mimetype = :mimetype, size = :size, mtime = :mtime, etag = :etag, permissions = coalesce(:permissions, permissions)
   WHERE id = :receivedShareId AND (kind, mimetype, size, mtime, etag, permissions)
     IS DISTINCT FROM (:kind::text, :mimetype::text, :size::bigint, :mtime::timestamptz, :etag::text, coalesce(:permissions::smallint, permissions))`,
});

export const NOTE_UNREACHABLE = statement({
  name: 'remote_share.note_unreachable',
  params: { receivedShareId: int8 },
  sql: `UPDATE received_share r SET unreachable_since = now() WHERE id = :receivedShareId AND unreachable_since IS NULL AND ${UNEXPIRED_MOUNT}`,
});

/** Everybody who lists the share gets the same strange answer: a separate probe, ten minutes after the last one, is more reliable. */
export const NOTE_ODD_ANSWER = statement({
  name: 'remote_share.note_odd_answer',
  params: { receivedShareId: int8 },
  sql: `UPDATE received_share r SET unreachable_since = coalesce(unreachable_since, now()),
     look_at = least(look_at, greatest(now(), last_probe_at + interval '10 minutes'))
   WHERE id = :receivedShareId AND ${UNEXPIRED_MOUNT}
     AND (unreachable_since IS NULL OR look_at > greatest(now(), last_probe_at + interval '10 minutes'))`,
});
