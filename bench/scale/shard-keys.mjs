// The design for more than one PostgreSQL: Citus with the rows of a person on one shard, and shares with their owner. For each frequent
// statement: the source of the shard key of each table that it reads or writes. docs/operations/scale.md has the table, and
// test/bench/shard-keys.spec.ts compares both with the plans of the statements.

/** Small tables, or those that nearly every statement joins: every node has a copy. */
export const EVERYWHERE = [
  ...['user_account', 'user_group', 'group_member', 'group_subadmin', 'user_preference', 'external_identity'],
  ...['passkey', 'totp', 'peer', 'partner_address_card', 'partner_keys'],
  'setting',
];

/** Column with the person whose shard has the row. `new` columns do not exist yet. */
export const SHARDED_BY = {
  storage: 'owner_uid',
  node: 'owner_uid',
  node_lock: 'new: owner_uid, owner of its storage',
  trashed_node: 'owner_uid',
  trashed_offer: 'new: owner_uid, owner of its node',
  file_version: 'new: owner_uid, owner of its node',
  upload: 'new: owner_uid, owner of its storage',
  share: 'owner_uid',
  link_of_deleted_node: 'new: owner_uid, owner of the node',
  share_recipient: 'uid',
  received_share: 'recipient_uid',
  foreign_link: 'uid',
  offer_block: 'uid',
  notification: 'uid',
  contact: 'uid',
  app_password: 'uid',
  outbox_message: 'new: uid, owner of the share or recipient of the received share',
  share_event: 'new: uid, as in outbox_message',
  content_change: 'new: uid, as in outbox_message',
  group_share_due: 'new: uid, as in outbox_message',
};

/**
 * Sources of a shard key: a parameter such as `:uid`; `looked up`, by one read of a table that gives the person for an id or a secret;
 * `found`, by persons in rows that the statement has read before; or `everyone`, if every shard has to be asked.
 */
const [UP, FOUND, ALL] = ['looked up', 'found', 'everyone'];

/** A path in the tree of a user: mounts lead to nodes of others. */
const BARE_PLACE = {
  ...{ storage: ':uid', share_recipient: ':uid', received_share: ':uid' },
  ...{ share: FOUND, node: FOUND },
};
const PLACE = { ...BARE_PLACE, node_lock: FOUND };

/** @type {Record<string, Record<string, string>>} by statement and table, without the tables that are everywhere */
export const SHARD_KEYS = {
  'share.find': {
    ...{ share: UP, node: UP, received_share: UP, share_recipient: FOUND },
    ...{ storage: ':viewerUid' },
  },
  'share.find_with_coverage': {
    ...{ share: UP, node: UP, share_recipient: FOUND },
    ...{ storage: ':viewerUid', received_share: ':viewerUid' },
  },
  'share.list_initiated': { share: FOUND, node: FOUND, share_recipient: FOUND },
  'share.list_own': { share: FOUND, node: FOUND, share_recipient: FOUND },
  'share.list_own_of_node': { share: UP, node: UP, share_recipient: FOUND },
  'share.list_own_of_children': { share: UP, node: UP, share_recipient: FOUND },
  'share.list_received': {
    ...{ share_recipient: ':uid', share: FOUND, node: FOUND, received_share: FOUND, storage: ':uid' },
  },
  'share.list_received_after': {
    ...{ share: ALL, share_recipient: ':uid', node: FOUND, received_share: FOUND, storage: ':uid' },
  },
  'share.list_received_of_node': {
    ...{ share_recipient: ':uid', share: UP, node: UP, received_share: UP, storage: ':uid' },
  },
  'share.coverage': { node: UP, share: UP, share_recipient: ':uid', received_share: ':uid', storage: ':uid' },
  'share.insert': { share: ':ownerUid', share_recipient: ':recipient' },
  'share.insert_by_path': {
    ...{ storage: ':uid', received_share: ':uid', share_recipient: ':recipient' },
    ...{ share: FOUND, node: FOUND },
  },
  'share.remove_managed': { share: UP },
  'offer_parties.find': { offer_block: ':uids', foreign_link: ':uids' },
  'received_share.insert': { received_share: ':recipientUids', notification: ':recipientUids' },
  'public_link.by_token': { share: UP, node: UP, received_share: UP },
  'partner_share.by_token': { share: UP, node: UP, received_share: UP },
  'received_share.lock_by_secret': { received_share: UP },
  'received_share.list': { received_share: ':recipientUid', node: ':recipientUid' },
  'node.children': { node: UP },
  'node.share_types': { share: ':uid' },
  'storage.of_user': { storage: ':uid' },
  'mount.in_folder': BARE_PLACE,
  'mount.any_below': BARE_PLACE,
  'mount.unplaced': { share_recipient: ':uid', share: FOUND, node: FOUND },
  'mount.anything_to_place': { share_recipient: ':uid', share: FOUND },
  'account.one': {},
  'account.many': {},
  'sharee.search_indexed': { contact: ':uid' },
  'node.bare_place': BARE_PLACE,
  'node.place': PLACE,
  'node.place_and_room': { ...PLACE, upload: FOUND, trashed_node: FOUND },
  'node.place_in_share': {
    share: UP,
    node: UP,
    node_lock: UP,
    share_recipient: FOUND,
    received_share: FOUND,
    storage: FOUND,
  },
  'storage.room': { storage: UP, node: UP, upload: UP, trashed_node: UP },
  'app_password.find': { app_password: UP },
  'remote_share.find_mounted': { received_share: UP, storage: UP },
  'outbox.verdict': { outbox_message: UP },
  'storage.lock': { storage: UP },
  'node.overwrite': { node: UP, share: UP },
  'node.propagate': { node: UP },
  'trash.put': {
    ...{ node: UP, node_lock: UP, share: UP },
    ...{ trashed_node: UP, trashed_offer: UP, link_of_deleted_node: UP },
  },
  'trash.take_out': {
    ...{ node: UP, trashed_node: UP, link_of_deleted_node: UP, share: UP },
    ...{ share_recipient: FOUND, storage: FOUND, received_share: FOUND },
  },
  'node.delete_subtrees': { node: UP, share: UP, file_version: UP, link_of_deleted_node: UP, storage: UP },
  'node.move_subtree': { node: UP, node_lock: UP },
  'outbox_dispatch.walk': { outbox_message: ALL },
  'outbox_dispatch.due_peers': { outbox_message: ALL },
  'outbox_dispatch.first_of_subjects': { outbox_message: ALL },
  'outbox_dispatch.queue': { outbox_message: FOUND },
  'delivery.claim': { outbox_message: UP, share_event: UP },
  'outbox_dispatch.reclaim': { outbox_message: ALL },
  'outbox_dispatch.to_write': { group_share_due: ALL, share_event: ALL, content_change: ALL },
  'share.remove_expired': { share: ALL },
  'outbox.forget_finished': { outbox_message: ALL },
  'share_watch.walk': { received_share: ALL },
  'share_watch.claim_partners': { received_share: ALL, outbox_message: ALL },
};

/** @param {Record<string, string>} sources by table @returns how many shards the statement needs */
export function reachOf(sources) {
  const different = new Set(Object.values(sources));
  if (different.size === 0) return 'any one';
  if (different.has(ALL)) return 'all';
  if (different.has(FOUND)) return 'several';
  return different.size === 1 ? 'one' : 'two';
}

/** The table of scale.md, a row for each statement. */
export function tableOfShardKeys() {
  const rows = Object.entries(SHARD_KEYS).map(([name, sources]) => {
    const bySource = Map.groupBy(Object.keys(sources), (table) => sources[table]);
    const keys = [...bySource].map(
      ([source, tables]) => `${source.startsWith(':') ? `\`${source}\`` : source}: ${tables.join(', ')}`,
    );
    return `| ${name} | ${keys.join('; ') || 'tables that are everywhere'} | ${reachOf(sources)} |`;
  });
  return ['| Statement | Shard key | Shards |', '| --- | --- | --- |', ...rows].join('\n');
}
