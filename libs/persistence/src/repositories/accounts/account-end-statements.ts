import { SHARE_TYPES, settingDefinition } from '#sharing';
import { bool, int4, int8, nullable, text, timestamptz } from '../../postgres-types';
import { ACTING, statement } from '../../statement';
import { LISTED } from '../../received-states';

const GRACE_SETTING = ['system', 'account_grace_days'] as const;
const DEFAULT_GRACE_DAYS = Number(settingDefinition(...GRACE_SETTING)!.fallback);
/** The grace period of the setting. */
export const GRACE_TIME = `make_interval(days => coalesce(
  (SELECT value::integer FROM setting WHERE app = '${GRACE_SETTING[0]}' AND key = '${GRACE_SETTING[1]}'), ${DEFAULT_GRACE_DAYS}))`;
const { user: USER, group: GROUP, link: LINK, federated: FEDERATED } = SHARE_TYPES;

/** Number of an account's files and shares; bytes of files are those of their present contents. */
export const PREVIEW = statement({
  name: 'account_end.preview',
  params: { uid: text },
  row: {
    files: int8,
    folders: int8,
    bytes: int8,
    versionBytes: int8,
    trashedEntries: int8,
    userShares: int8,
    groupShares: int8,
    links: int8,
    federatedSharesOut: int8,
    federatedSharesIn: int8,
    sharesReceived: int8,
    appPasswords: int8,
    sessions: int8,
  },
  sql: `WITH home AS (SELECT id, version_bytes FROM storage WHERE owner_uid = :uid AND received_share_id IS NULL),
   found AS (SELECT n.kind, n.size, n.path FROM node n JOIN home ON home.id = n.storage_id WHERE n.path <> '' AND NOT starts_with(n.path, '~')),
   given AS (SELECT share_type FROM share WHERE owner_uid = :uid OR initiator_uid = :uid)
   SELECT (SELECT count(*) FROM found WHERE kind = 'file') AS files, (SELECT count(*) FROM found WHERE kind = 'folder') AS folders,
     (SELECT coalesce(sum(size), 0)::bigint FROM found WHERE kind = 'file') AS bytes,
     (SELECT coalesce(sum(version_bytes), 0)::bigint FROM home) AS "versionBytes",
     (SELECT count(*) FROM trashed_node WHERE owner_uid = :uid) AS "trashedEntries",
     (SELECT count(*) FROM given WHERE share_type = ${USER}) AS "userShares",
     (SELECT count(*) FROM given WHERE share_type = ${GROUP}) AS "groupShares",
     (SELECT count(*) FROM given WHERE share_type = ${LINK}) AS links,
     (SELECT count(*) FROM given WHERE share_type = ${FEDERATED}) AS "federatedSharesOut",
     (SELECT count(*) FROM received_share WHERE recipient_uid = :uid AND state IN ${LISTED}) AS "federatedSharesIn",
     (SELECT count(*) FROM share WHERE share_type = ${USER} AND recipient_canonical = :uid) AS "sharesReceived",
     (SELECT count(*) FROM app_password WHERE uid = :uid) AS "appPasswords",
     (SELECT count(*) FROM browser_session WHERE uid = :uid AND ends_at > now()) AS sessions`,
});

/** Whether a source, such as a directory, has disabled the account of the row `a`. */
const DISABLED_BY_SOURCE =
  'EXISTS (SELECT FROM external_identity i WHERE i.uid = a.uid AND i.disabled_at IS NOT NULL)';

/** Returns no row if the account or its successor is gone, is already ending, or is the successor of another account. */
export const REQUEST = statement({
  name: 'account_end.request',
  params: {
    uid: text,
    successorUid: nullable(text),
    graceDays: nullable(int4),
    pseudonym: text,
    acting: text,
  },
  row: { uid: text },
  sql: `INSERT INTO account_end (uid, successor_uid, due_at, was_enabled, pseudonym)
   SELECT a.uid, :successorUid, now() + coalesce(make_interval(days => :graceDays), ${GRACE_TIME}), a.enabled OR ${DISABLED_BY_SOURCE}, :pseudonym
   FROM user_account a WHERE a.uid = :uid AND ${ACTING} AND NOT EXISTS (SELECT FROM account_end WHERE successor_uid = :uid)
     AND NOT EXISTS (SELECT FROM account_end WHERE uid = :successorUid)
   ON CONFLICT (uid) DO NOTHING RETURNING uid`,
});

/** Returns no row if the deletion has begun, or if a source is named and did not request the end. */
export const UNDO = statement({
  name: 'account_end.undo',
  params: { uid: text, kind: nullable(text), source: nullable(text), acting: text },
  row: { isEnabled: bool },
  sql: `DELETE FROM account_end a WHERE uid = :uid AND began_at IS NULL AND ${ACTING} AND (:source::text IS NULL OR EXISTS (
     SELECT FROM external_identity i WHERE i.uid = a.uid AND i.kind = :kind AND i.source = :source AND i.gone_at = a.requested_at))
   RETURNING was_enabled AND NOT ${DISABLED_BY_SOURCE} AS "isEnabled"`,
});

/** Takes one that is due, unless another process is working on it. */
export const CLAIM = statement({
  name: 'account_end.claim',
  params: { uid: text },
  row: {
    uid: text,
    successorUid: nullable(text),
    beganAt: nullable(timestamptz),
    pseudonym: text,
    folderId: nullable(int8),
    erasing: nullable(text),
    erasedTo: int8,
  },
  sql: `SELECT uid, successor_uid AS "successorUid", began_at AS "beganAt", pseudonym, folder_id AS "folderId", erasing, erased_to AS "erasedTo"
   FROM account_end WHERE uid = :uid AND due_at <= now() FOR UPDATE SKIP LOCKED`,
});

export const END_SHARES = statement({
  name: 'account_end.end_shares',
  params: { uid: text, limit: int8, acting: text },
  row: { id: int8 },
  sql: `DELETE FROM share WHERE id = ANY (ARRAY(
     SELECT id FROM share WHERE owner_uid = :uid OR initiator_uid = :uid OR share_type = ${USER} AND recipient_canonical = :uid ORDER BY id LIMIT :limit
   )) AND ${ACTING} RETURNING id`,
});

/** An event tells the partners, as for every received share that ends with its recipient. */
export const LEAVE_RECEIVED = statement({
  name: 'account_end.leave_received',
  params: { uid: text, limit: int8, acting: text },
  row: { id: int8 },
  sql: `DELETE FROM received_share WHERE id = ANY (ARRAY(SELECT id FROM received_share WHERE recipient_uid = :uid ORDER BY id LIMIT :limit))
     AND ${ACTING} RETURNING id`,
});

/** Nodes without children, including the trash bin. */
export const LEAVES = statement({
  name: 'account_end.leaves',
  params: { uid: text, limit: int8 },
  row: { id: int8, storageId: int4 },
  sql: `SELECT n.id, n.storage_id AS "storageId" FROM storage s JOIN node n ON n.storage_id = s.id
   WHERE s.owner_uid = :uid AND NOT EXISTS (SELECT FROM node c WHERE c.parent_id = n.id) LIMIT :limit`,
});
