import { SHARE_TYPES, stateOfNumber, type Day, type NodeKind, type PersonalRow, type Share } from '#sharing';
import {
  bool,
  bytea,
  date,
  int2,
  int4,
  int8,
  nullable,
  type RowOf,
  text,
  textOf,
} from '../../postgres-types';

/**
 * A share with its node and one personal row, as the statements below select it. Columns of kinds and options that most shares do
 * not have are null there, because the driver passes over a null: a list reads sixteen values of each share instead of twenty-five.
 */
export const SHARE_ROW = {
  id: int8,
  share_type: int2,
  initiator_uid: text,
  permissions: int2,
  expires_on: nullable(date),
  stime: int8,
  attributes: nullable(text),
  note: nullable(text),
  file_target: text,
  mail_sent: nullable(bool),
  recipient: nullable(text),
  token_enc: nullable(bytea),
  has_password: nullable(bool),
  share_name: nullable(text),
  initial_state: nullable(int2),
  node_id: int8,
  kind: textOf<NodeKind>(),
  path: text,
  /** Null if it is the initiator. */
  owner_uid: nullable(text),
  mimetype: text,
  storage_id: int4,
  parent_id: nullable(int8),
  node_name: text,
  is_remote: nullable(bool),
  state: nullable(int2),
  target: nullable(text),
  folder_id: nullable(int8),
  delivery_state: nullable(text),
  delivery_attempts: nullable(int4),
  next_attempt: nullable(int8),
  delivery_error: nullable(text),
  acceptance: nullable(text),
  acceptance_source: nullable(text),
  remote_owner: nullable(text),
  requester: nullable(text),
  recipient_is_group: nullable(bool),
};
export type ShareRow = RowOf<typeof SHARE_ROW>;

/** Days begin at midnight UTC. */
export const notExpired = (alias: string): string =>
  `(${alias}.expires_on IS NULL OR ${alias}.expires_on >= current_date)`;

/** An expired share is in no list and has no effect, even before it is removed; the same holds while its node is in the trash bin. */
export const aliveAs = (alias: string): string => `(${notExpired(alias)} AND ${alias}.trashed_at IS NULL)`;
export const ALIVE = aliveAs('s');

const epoch = (time: string): string => `floor(date_part('epoch', ${time}))::bigint`;

/** The recipient of the share that a server passed on by its request. */
const REQUESTER =
  'CASE WHEN s.requested_of IS NOT NULL THEN (SELECT o.recipient FROM share o WHERE o.id = s.requested_of) END';

/** Select list for `s` share and `n` node. */
export const SHARE_COLUMNS = `s.id, s.share_type, s.initiator_uid, s.permissions, s.expires_on, ${epoch('s.created_at')} AS stime,
  s.attributes, s.note, s.file_target, nullif(s.mail_sent, false) AS mail_sent, s.recipient,
  coalesce(s.granted_token_enc, s.token_enc) AS token_enc, nullif(s.password_hash IS NOT NULL, false) AS has_password, s.name AS share_name,
  nullif(s.initial_state, 0::smallint) AS initial_state, s.node_id, n.kind, n.path, nullif(n.owner_uid, s.initiator_uid) AS owner_uid, n.mimetype, n.storage_id,
  n.parent_id, n.name AS node_name, nullif(n.received_share_id IS NOT NULL, false) AS is_remote,
  s.delivery_state, nullif(s.delivery_attempts, 0) AS delivery_attempts, ${epoch('s.delivery_next_attempt')} AS next_attempt,
  nullif(s.delivery_error, '') AS delivery_error, s.acceptance, s.acceptance_source, s.remote_owner, ${REQUESTER} AS requester, nullif(s.recipient_is_group, false) AS recipient_is_group`;

/**
 * Id of a folder in the viewer's own tree, by the hash of its path. It is a look-up for each row rather than a join: where most accounts
 * have few files, the planner expects few of any account, and a join would read all files of one that has many.
 * @param viewer the placeholder of the viewer's uid
 */
export const folderWithHash = (
  viewer: string,
  hash: string,
): string => `(SELECT home.id FROM node home WHERE home.path_hash = ${hash}
       AND home.storage_id = (SELECT id FROM storage WHERE owner_uid = ${viewer} AND received_share_id IS NULL) LIMIT 1)`;

/** Select list for `r` share_recipient and `f` the folder of its target. */
export const PERSONAL_COLUMNS = 'r.state, r.file_target AS target, f.id AS folder_id';

/**
 * Looks up the folder of a personal row's target, which is always in the viewer's own tree. It is found before a list is sorted, so that
 * PostgreSQL sends the rows of a list at once: one by one, they take an eighth more of the reader's processor time.
 * @param viewer the placeholder of the viewer's uid
 */
export const targetFolder = (viewer: string): string =>
  `LEFT JOIN LATERAL ${folderWithHash(viewer, 'r.folder_hash')} f ON r.uid = ${viewer}`;

/** @param openToken opens the sealed token of a link or a federated share */
export function shareOf(row: ShareRow, openToken: (sealed: Buffer) => string): Share {
  const base = baseOf(row);
  const personal = personalOf(row);
  switch (row.share_type) {
    case SHARE_TYPES.user:
      return { ...base, type: SHARE_TYPES.user, recipientUid: row.recipient!, personal };
    case SHARE_TYPES.group:
      return {
        ...base,
        type: SHARE_TYPES.group,
        recipientGid: row.recipient!,
        initialState: stateOfNumber(row.initial_state ?? 0),
        personal,
      };
    case SHARE_TYPES.link:
      return {
        ...base,
        type: SHARE_TYPES.link,
        shareToken: openToken(row.token_enc!),
        hasPassword: row.has_password ?? false,
        name: row.share_name,
      };
    case SHARE_TYPES.federated:
      return { ...base, type: SHARE_TYPES.federated, ...federatedSideOf(row, openToken) };
    default:
      throw new Error(`share ${row.id} is of the unknown type ${row.share_type}`);
  }
}

function baseOf(row: ShareRow) {
  return {
    id: row.id,
    initiatorUid: row.initiator_uid,
    node: {
      nodeId: row.node_id,
      kind: row.kind,
      name: row.node_name,
      ownerPath: row.path,
      ownerUid: row.owner_uid ?? row.initiator_uid,
      mimetype: row.mimetype,
      storageId: row.storage_id,
      parentId: row.parent_id,
      isRemote: row.is_remote ?? false,
    },
    permissions: row.permissions,
    expiresOn: row.expires_on as Day | null,
    createdAtSeconds: row.stime,
    attributes: row.attributes,
    note: row.note,
    fileTarget: row.file_target,
    mailSent: row.mail_sent ?? false,
  };
}

function federatedSideOf(row: ShareRow, openToken: (sealed: Buffer) => string) {
  return {
    recipient: row.recipient!,
    isForGroup: row.recipient_is_group ?? false,
    shareToken: openToken(row.token_enc!),
    delivery: {
      state: row.delivery_state!,
      attempts: row.delivery_attempts ?? 0,
      nextAttemptAtSeconds: row.next_attempt,
      error: row.delivery_error,
    },
    acceptance: row.acceptance!,
    acceptanceSource: row.acceptance_source,
    remoteOwner: row.remote_owner,
    requester: row.requester,
  };
}

function personalOf(row: ShareRow): PersonalRow | undefined {
  if (row.state === null) return undefined;
  return { state: stateOfNumber(row.state), target: row.target, folderId: row.folder_id };
}
