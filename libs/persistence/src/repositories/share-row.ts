import { SHARE_TYPES, stateOfNumber, type Day, type NodeKind, type Share } from '#sharing';

/** A share joined with its node and one personal row, as the statements below select it. */
export interface ShareRow {
  readonly id: number;
  readonly share_type: number;
  readonly initiator_uid: string;
  readonly permissions: number;
  readonly expires_on: string | null;
  readonly stime: number;
  readonly attributes: string | null;
  readonly file_target: string;
  readonly mail_sent: boolean;
  readonly recipient: string;
  readonly initial_state: number;
  readonly node_id: number;
  readonly kind: NodeKind;
  readonly node_name: string;
  readonly path: string;
  readonly owner_uid: string;
  readonly mimetype: string;
  readonly storage_id: number;
  readonly parent_id: number | null;
  readonly state: number | null;
  readonly target: string | null;
  readonly folder_id: number | null;
}

/** What expired is in no list and has no effect, swept or not. Days begin at midnight UTC. */
export const ALIVE = '(s.expires_on IS NULL OR s.expires_on >= current_date)';

/** Select list over `s` share and `n` node. */
export const SHARE_COLUMNS = `s.id, s.share_type, s.initiator_uid, s.permissions, s.expires_on,
  extract(epoch FROM s.created_at)::bigint AS stime, s.attributes, s.file_target, s.mail_sent, s.recipient, s.initial_state,
  s.node_id, n.kind, n.name AS node_name, n.path, n.owner_uid, n.mimetype, n.storage_id, n.parent_id`;

/** Select list over `r` share_recipient and `f` the folder its target lies in. */
export const PERSONAL_COLUMNS = 'r.state, r.file_target AS target, f.id AS folder_id';

/** Joins the folder in which a personal row's target lies; the viewer's own tree holds every such folder. */
export const TARGET_FOLDER = `LEFT JOIN storage home ON home.owner_uid = r.uid
  LEFT JOIN node f ON f.storage_id = home.id AND f.path_hash = r.folder_hash`;

export function shareOf(row: ShareRow): Share {
  const base = {
    id: row.id,
    initiatorUid: row.initiator_uid,
    node: {
      nodeId: row.node_id,
      kind: row.kind,
      name: row.node_name,
      ownerPath: row.path,
      ownerUid: row.owner_uid,
      mimetype: row.mimetype,
      storageId: row.storage_id,
      parentId: row.parent_id,
    },
    permissions: row.permissions,
    expiresOn: row.expires_on as Day | null,
    createdAtSeconds: row.stime,
    attributes: row.attributes,
    fileTarget: row.file_target,
    mailSent: row.mail_sent,
    personal:
      row.state === null
        ? undefined
        : { state: stateOfNumber(row.state), target: row.target, folderId: row.folder_id },
  };
  return row.share_type === SHARE_TYPES.user
    ? { ...base, type: SHARE_TYPES.user, recipientUid: row.recipient }
    : {
        ...base,
        type: SHARE_TYPES.group,
        recipientGid: row.recipient,
        initialState: stateOfNumber(row.initial_state),
      };
}
