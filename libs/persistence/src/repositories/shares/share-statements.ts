import { SHARE_TYPES } from '#sharing';
import { statement } from '../../statement';
import { ANYTHING_TO_PLACE, givesAccess, isWithOwner } from '../files/mount-sql';
import { COVERAGE_AS_JSON, COVERAGE_ROW, coverageOf } from './coverage-sql';
import { ALIVE, PERSONAL_COLUMNS, SHARE_COLUMNS, SHARE_ROW, targetFolder } from './share-row';
import { array, bool, int2, int8, nullable, text } from '../../postgres-types';

/** The personal row that is read with a share: the recipient's for a user share, the viewer's for a group share. */
const personalOf = (viewer: string): string => `LEFT JOIN share_recipient r ON r.share_id = s.id
    AND r.uid = CASE WHEN s.share_type = ${SHARE_TYPES.user} THEN s.recipient_canonical ELSE ${viewer} END
  ${targetFolder(viewer)}`;

const ONE_COLUMNS = `${SHARE_COLUMNS}, ${PERSONAL_COLUMNS}`;
const ONE_TABLES = `FROM share s JOIN node n ON n.id = s.node_id ${personalOf(':viewerUid')}
  WHERE s.id = :id AND s.group_share_id IS NULL AND ${ALIVE} AND (:viewerUid IN (s.initiator_uid, s.owner_uid) OR ${isWithOwner('n')})`;
const ONE_TEXT = `SELECT ${ONE_COLUMNS} ${ONE_TABLES}`;

export const FIND = statement({
  name: 'share.find',
  isShortRead: true,
  params: { id: int8, viewerUid: text },
  row: SHARE_ROW,
  sql: ONE_TEXT,
});
/** The same, with the ways to a node that the viewer shares and does not own (`mayManage` and not `isOwn`). */
export const FIND_WITH_COVERAGE = statement({
  name: 'share.find_with_coverage',
  isShortRead: true,
  params: { id: int8, viewerUid: text },
  row: { ...SHARE_ROW, coverage: COVERAGE_AS_JSON },
  sql: `SELECT ${ONE_COLUMNS}, CASE WHEN :viewerUid IN (s.initiator_uid, n.owner_uid) AND (n.owner_uid <> :viewerUid OR n.received_share_id IS NOT NULL)
     THEN coverage_of(:viewerUid, n.id) END AS coverage ${ONE_TABLES}`,
});
export const FIND_LOCKED = statement({
  name: 'share.find_locked',
  goesWithBegin: true,
  params: { id: int8, viewerUid: text },
  row: SHARE_ROW,
  sql: `${ONE_TEXT} FOR UPDATE OF s`,
});

/** Managers see the recipient's target of a user share, and nothing else of personal rows. */
const OWN_COLUMNS = `${SHARE_COLUMNS}, r.state, r.file_target AS target, NULL::bigint AS folder_id`;
const OWN_TABLES = `JOIN node n ON n.id = s.node_id
  LEFT JOIN share_recipient r ON r.share_id = s.id AND s.share_type = ${SHARE_TYPES.user} AND r.uid = s.recipient_canonical`;

const AFTER = '(s.share_type, s.id) > (:afterType::smallint, :afterId::bigint)';
const PART_PARAMS = { uid: text, types: array(int2), afterType: int2, afterId: int8, limit: int8 };

export const LIST_INITIATED = statement({
  name: 'share.list_initiated',
  params: PART_PARAMS,
  row: SHARE_ROW,
  sql: `SELECT ${OWN_COLUMNS} FROM share s ${OWN_TABLES}
   WHERE s.initiator_uid = :uid AND s.share_type = ANY(:types::smallint[]) AND s.group_share_id IS NULL AND ${ALIVE}
     AND ${AFTER}
   ORDER BY s.share_type, s.id LIMIT :limit`,
});

const OWN_PARAMS = { ...PART_PARAMS, alsoOthersOfMine: bool };

const listOwn = (
  condition: string,
  order: string,
): string => `SELECT ${OWN_COLUMNS} FROM share s ${OWN_TABLES}
   WHERE (s.initiator_uid = :uid OR (:alsoOthersOfMine AND s.owner_uid = :uid)) AND s.share_type = ANY(:types::smallint[]) AND s.group_share_id IS NULL
     AND ${ALIVE} AND ${condition}
   ORDER BY ${order} LIMIT :limit`;

/** The next shares that a user initiated or owns, in the order of an index. */
const nextOf = (column: string): string => `(SELECT s.share_type, s.id FROM share s
     WHERE ${column} = :uid AND s.share_type = ANY(:types::smallint[]) AND s.group_share_id IS NULL AND ${ALIVE} AND ${AFTER}
     ORDER BY s.share_type, s.id LIMIT :limit)`;

/** Includes what others made of the user's files. Each part reads only its own shares, also of an account that has many thousands. */
export const LIST_OWN = statement({
  name: 'share.list_own',
  params: PART_PARAMS,
  row: SHARE_ROW,
  sql: `SELECT ${OWN_COLUMNS} FROM (
     ${nextOf('s.initiator_uid')} UNION ${nextOf('s.owner_uid')} ORDER BY share_type, id LIMIT :limit
   ) next JOIN share s ON s.id = next.id ${OWN_TABLES}
   ORDER BY s.share_type, s.id`,
});

/** The same for one node. */
export const LIST_OWN_OF_NODE = statement({
  name: 'share.list_own_of_node',
  plannedOnce: true,
  params: { ...OWN_PARAMS, nodeId: int8 },
  row: SHARE_ROW,
  sql: listOwn(`s.node_id = :nodeId AND ${AFTER}`, 's.share_type, s.id'),
});

/** The same for the children of a folder, by name. */
export const LIST_OWN_OF_CHILDREN = statement({
  name: 'share.list_own_of_children',
  plannedOnce: true,
  params: { ...OWN_PARAMS, parentNodeId: int8, afterName: text },
  row: SHARE_ROW,
  sql: listOwn(
    'n.parent_id = :parentNodeId AND (n.name, s.share_type, s.id) > (:afterName::text, :afterType::smallint, :afterId::bigint)',
    'n.name, s.share_type, s.id',
  ),
});

const RECEIVED_PARAMS = { ...PART_PARAMS, groups: array(text), state: nullable(int2) };

/** With the list: true if it misses shares without a place, and otherwise null. */
const RECEIVED_ROW = { ...SHARE_ROW, is_unsettled: nullable(bool) };

const RECEIVED_COLUMNS = `${SHARE_COLUMNS}, ${PERSONAL_COLUMNS}, nullif(${ANYTHING_TO_PLACE}, false) AS is_unsettled`;
const IN_STATE = 'r.uid = :uid AND (:state::smallint IS NULL OR r.state = :state)';
/** With the node `n`. */
const FROM_OTHERS = `s.owner_uid <> :uid AND ${givesAccess('n')}`;

const listReceived = (condition: string): string => `SELECT ${RECEIVED_COLUMNS}
   FROM share_recipient r JOIN share s ON s.id = r.share_id JOIN node n ON n.id = s.node_id ${targetFolder(':uid')}
   WHERE ${IN_STATE} AND ${FROM_OTHERS} AND s.share_type = ANY(:types::smallint[])
     AND (s.share_type = ${SHARE_TYPES.user} OR s.recipient_canonical = ANY(:groups::text[])) AND ${condition}
   ORDER BY s.share_type, s.id LIMIT :limit`;

/** The first part by the rows of the account, which is the fastest way to the few shares that most accounts have. */
export const LIST_RECEIVED = statement({
  name: 'share.list_received',
  params: RECEIVED_PARAMS,
  row: RECEIVED_ROW,
  sql: listReceived(AFTER),
});

/** The next shares with one recipient, in the order of an index. Node and row of the account are looked up for each, instead of all of its rows first. */
const nextWith = (recipient: string, type: 0 | 1): string => `SELECT s.share_type, s.id
     FROM share s CROSS JOIN LATERAL (SELECT FROM share_recipient r WHERE r.share_id = s.id AND ${IN_STATE} OFFSET 0) r
       CROSS JOIN LATERAL (SELECT n.received_share_id FROM node n WHERE n.id = s.node_id OFFSET 0) n
     WHERE s.recipient_canonical = ${recipient} AND s.share_type = ${type} AND ${type} = ANY(:types::smallint[]) AND ${FROM_OTHERS}
       AND s.id > CASE WHEN :afterType::smallint < ${type} THEN 0 WHEN :afterType::smallint = ${type} THEN :afterId::bigint END
     ORDER BY s.id LIMIT :limit`;

/** A later part reads only its own shares, since there are many. */
export const LIST_RECEIVED_AFTER = statement({
  name: 'share.list_received_after',
  params: RECEIVED_PARAMS,
  row: RECEIVED_ROW,
  sql: `SELECT ${RECEIVED_COLUMNS} FROM (
     (${nextWith(':uid', SHARE_TYPES.user)})
     UNION ALL
     SELECT next.* FROM unnest(:groups::text[]) AS member(gid) CROSS JOIN LATERAL (${nextWith('member.gid', SHARE_TYPES.group)}) next
     ORDER BY share_type, id LIMIT :limit
   ) next JOIN share s ON s.id = next.id JOIN share_recipient r ON r.share_id = s.id AND r.uid = :uid JOIN node n ON n.id = s.node_id
   ${targetFolder(':uid')}
   ORDER BY s.share_type, s.id`,
});

/** Received shares of one node. */
export const LIST_RECEIVED_OF_NODE = statement({
  name: 'share.list_received_of_node',
  plannedOnce: true,
  params: { ...RECEIVED_PARAMS, nodeId: int8 },
  row: RECEIVED_ROW,
  sql: listReceived(`s.node_id = :nodeId AND ${AFTER}`),
});

export const COVERAGE = statement({
  name: 'share.coverage',
  plannedOnce: true,
  params: { uid: text, nodeIds: array(int8) },
  row: COVERAGE_ROW,
  sql: coverageOf(':uid', ':nodeIds::bigint[]'),
});
