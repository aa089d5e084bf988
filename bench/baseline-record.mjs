// The record of a share in the baseline: the fields of the gateway in the same order.

/** Columns of `s` share and `n` node that every record contains. */
export const SHARE_COLUMNS = `s.id::text, s.permissions, date_part('epoch', s.created_at) AS created_at, s.owner_uid, s.initiator_uid,
  s.recipient, s.file_target, n.path, n.mimetype, n.storage_id, n.kind, n.id AS node_id, n.parent_id`;

/** The root folder of the account in `$1`. */
export const ROOT_OF = {
  name: 'root_of',
  text: `SELECT n.id FROM storage st JOIN node n ON n.storage_id = st.id AND n.path_hash = md5('')::uuid WHERE st.owner_uid = $1`,
};

/** The recipient of a share, in the fields for its type. */
export const toUser = (uid, name) => ({
  share_with: uid,
  share_with_displayname: name,
  share_with_user_type: 0,
  share_with_additional_info: null,
});
export const toGroup = (gid) => ({ share_with: gid, share_with_displayname: gid });
export const throughLink = (url) => ({ name: null, url });

/** The place of the node for the viewer: in their own tree, or mounted at `target`. */
export const inOwnTree = (row) => ({
  path: row.path,
  storageId: `home::${row.owner_uid}`,
  parentId: row.parent_id,
});
export const mounted = (target, rootId) => ({
  path: target,
  storageId: `shared::${target}`,
  parentId: rootId,
});

/**
 * @param {object} row SHARE_COLUMNS
 * @param {object} view `type`, `ownerName`, `recipient` (toUser, toGroup, throughLink) and `place` (inOwnTree, mounted);
 *   `initiatorName` if it is another person, `token` of a link, `state` and `target` for recipients
 */
export function record(row, { type, ownerName, initiatorName, token, state, place, target, recipient }) {
  return {
    id: row.id,
    share_type: type,
    uid_owner: row.initiator_uid,
    displayname_owner: initiatorName ?? ownerName,
    permissions: row.permissions,
    stime: Math.floor(row.created_at),
    parent: null,
    expiration: null,
    token: token ?? null,
    uid_file_owner: row.owner_uid,
    displayname_file_owner: ownerName,
    additional_info_owner: null,
    additional_info_file_owner: null,
    state,
    path: place.path,
    mimetype: row.mimetype,
    storage_id: place.storageId,
    storage: row.storage_id,
    item_type: row.kind,
    item_source: row.node_id,
    file_source: row.node_id,
    file_parent: place.parentId,
    file_target: target ?? row.file_target,
    ...recipient,
    mail_send: 0,
    attributes: null,
  };
}
