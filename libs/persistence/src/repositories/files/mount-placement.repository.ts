import { SHARE_TYPES, type NodeKind } from '#sharing';
import { actingText } from '../../acting-text';
import type { Queryable } from '../../database';
import {
  array,
  bool,
  filtered,
  int2,
  int8,
  nullable,
  type RowOf,
  text,
  textOf,
  uuid,
} from '../../postgres-types';
import { ACTING, statement } from '../../statement';
import {
  ANYTHING_TO_PLACE,
  REMOTE_TAKEN,
  ROWLESS,
  UNSETTLED,
  WITHOUT_ROW,
  stateWithoutRow,
} from './mount-sql';
import { md5 } from './path-parts';
import { ALIVE } from '../shares/share-row';

/** An accepted share without a place in its recipient's tree. */
const UNPLACED_SHARE = {
  shareId: int8,
  nodeId: int8,
  kind: textOf<NodeKind>(),
  /** The target that was requested when the share was made; its last part is the node's name at that time. */
  wishedTarget: text,
  /** Place of another share of the same node in the recipient's tree. */
  placedTarget: nullable(text),
};
export type UnplacedShare = RowOf<typeof UNPLACED_SHARE>;

const LAST_PLACE = {
  kind: textOf<NodeKind>(),
  target: filtered(text),
  stillThere: bool,
};
export type LastPlace = RowOf<typeof LAST_PLACE>;

export interface Placement {
  readonly shareId: number;
  readonly target: string;
}

const PENDING = statement({
  name: 'mount.anything_to_place',
  params: { uid: text },
  row: { found: bool },
  sql: `SELECT ${ANYTHING_TO_PLACE} AS found`,
});

// Share and membership are locked until the row exists.
const MAKE_ROWS = statement({
  name: 'mount.make_group_rows',
  params: { uid: text },
  sql: `INSERT INTO share_recipient (share_id, uid, state)
   SELECT s.id, m.uid, ${stateWithoutRow('s', 'm.uid')} ${WITHOUT_ROW}
   FOR KEY SHARE OF m, s
   ON CONFLICT DO NOTHING`,
});

// A new share locks its group until its end. A group that is not locked at the moment is kept so, and has no share that is not visible yet.
// Nothing is waited for from here on, because others may wait for these rows.
const HOLD_SETTLED_GROUPS = statement({
  name: 'mount.hold_settled_groups',
  params: { uid: text },
  row: { gid: text },
  sql: `SELECT g.gid FROM group_member m JOIN user_group g ON g.gid = m.gid
   WHERE m.uid = :uid AND EXISTS (SELECT FROM share s WHERE ${UNSETTLED})
   FOR UPDATE OF m, g SKIP LOCKED`,
});

const SETTLE = statement({
  name: 'mount.settle_memberships',
  params: { uid: text, gids: array(text) },
  sql: `UPDATE group_member m SET settled_up_to = (SELECT max(s.id) FROM share s WHERE ${UNSETTLED})
   WHERE m.uid = :uid AND m.gid = ANY(:gids::text[]) AND EXISTS (SELECT FROM share s WHERE ${UNSETTLED})
     AND NOT EXISTS (SELECT FROM share s WHERE ${ROWLESS})`,
});

const UNPLACED = statement({
  name: 'mount.unplaced',
  params: { uid: text },
  row: UNPLACED_SHARE,
  sql: `SELECT s.id AS "shareId", s.node_id AS "nodeId", n.kind, s.file_target AS "wishedTarget", (
     SELECT min(other.file_target) FROM share sibling
     JOIN share_recipient other ON other.share_id = sibling.id
     WHERE sibling.node_id = s.node_id AND other.uid = r.uid AND other.state = 0
   ) AS "placedTarget"
   FROM share_recipient r JOIN share s ON s.id = r.share_id JOIN node n ON n.id = s.node_id
   WHERE r.uid = :uid AND r.state = 0 AND r.file_target IS NULL AND ${ALIVE}
   ORDER BY s.id`,
});

const OCCUPIED = statement({
  name: 'mount.occupied_targets',
  params: { uid: text, targets: array(uuid), paths: array(text) },
  row: { path: text },
  sql: `SELECT wished.path FROM unnest(:targets::uuid[], :paths::text[]) AS wished(hash, path) CROSS JOIN LATERAL (
     (SELECT FROM storage st JOIN node n ON n.storage_id = st.id
      WHERE st.owner_uid = :uid AND st.received_share_id IS NULL AND n.path_hash = wished.hash AND n.path = wished.path LIMIT 1)
     UNION ALL
     (SELECT FROM share_recipient r JOIN share s ON s.id = r.share_id
      WHERE r.uid = :uid AND r.state = 0 AND s.trashed_at IS NULL AND r.target_hash = wished.hash AND r.file_target = wished.path LIMIT 1)
     UNION ALL
     (SELECT FROM received_share f
      WHERE f.recipient_uid = :uid AND ${REMOTE_TAKEN} AND f.target_hash = wished.hash AND f.file_target = wished.path LIMIT 1)
     LIMIT 1
   ) taken`,
});

const SET_TARGETS = statement({
  name: 'mount.set_targets',
  params: { uid: text, shareIds: array(int8), targets: array(text) },
  sql: `UPDATE share_recipient r SET file_target = placed.target
   FROM unnest(:shareIds::bigint[], :targets::text[]) AS placed(share_id, target)
   WHERE r.uid = :uid AND r.share_id = placed.share_id`,
});

const PLACED_BEFORE = statement({
  name: 'mount.placed_before',
  params: { uid: text, nodeId: int8 },
  row: LAST_PLACE,
  sql: `SELECT n.kind, r.file_target AS target, r.state = 0 AS "stillThere"
   FROM share s JOIN share_recipient r ON r.share_id = s.id JOIN node n ON n.id = s.node_id
   WHERE s.node_id = :nodeId AND r.uid = :uid AND r.file_target IS NOT NULL
   ORDER BY r.state, s.id LIMIT 1`,
});

const WISHED_PLACE = { kind: textOf<NodeKind>(), target: text };

const WISHED = statement({
  name: 'mount.wished_target',
  params: { shareId: int8 },
  row: WISHED_PLACE,
  sql: `SELECT n.kind, s.file_target AS target FROM share s JOIN node n ON n.id = s.node_id WHERE s.id = :shareId`,
});

// Share and membership are locked until the row exists: an ending one gets no row. Accepting leaves out what members shared with
// their own group: they would keep it when the share ends through which they have the node.
const SET_STATE = statement({
  name: 'mount.set_state',
  params: { uid: text, nodeId: int8, state: int2, target: nullable(text), acting: text },
  sql: `WITH direct AS (
     SELECT s.id FROM share s JOIN share_recipient r ON r.share_id = s.id AND r.uid = :uid
     WHERE s.node_id = :nodeId AND s.owner_uid <> :uid AND s.share_type = ${SHARE_TYPES.user} AND ${ALIVE} FOR KEY SHARE OF s
   ), by_group AS (
     SELECT s.id FROM share s JOIN group_member m ON m.gid = s.recipient_canonical AND m.uid = :uid
     WHERE s.node_id = :nodeId AND s.owner_uid <> :uid AND s.share_type = ${SHARE_TYPES.group} AND ${ALIVE}
       AND (s.initiator_uid <> :uid OR :state::smallint = 2) FOR KEY SHARE OF m, s
   )
   INSERT INTO share_recipient (share_id, uid, state, file_target)
   SELECT id, :uid::text, :state::smallint, :target::text FROM (SELECT id FROM direct UNION ALL SELECT id FROM by_group) AS received WHERE ${ACTING} ORDER BY id
   ON CONFLICT (share_id, uid) DO UPDATE SET state = excluded.state,
     file_target = coalesce(excluded.file_target, share_recipient.file_target)`,
});

/** Stores the places of received shares in their recipients' trees. All methods except `anythingToPlace` belong in a transaction. */
export class MountPlacementRepository {
  constructor(private readonly database: Queryable) {}

  /** Whether the user has accepted shares without a place. It is asked before each read of their tree, so it only probes indexes. */
  async anythingToPlace(uid: string): Promise<boolean> {
    const [row] = await this.database.rows(PENDING, { uid });
    return row!.found;
  }

  /** Makes the missing personal rows of the user's group shares. */
  async makeGroupRows(uid: string): Promise<void> {
    await this.database.rows(MAKE_ROWS, { uid });
  }

  /**
   * Notes up to which share of each of their groups the user has rows. A group with a share under way is left for the next time. Run it
   * last: new shares with the group wait for the end of the transaction.
   */
  async settle(uid: string): Promise<void> {
    const held = await this.database.rows(HOLD_SETTLED_GROUPS, { uid });
    if (held.length > 0) await this.database.rows(SETTLE, { uid, gids: held.map(({ gid }) => gid) });
  }

  unplaced(uid: string): Promise<UnplacedShare[]> {
    return this.database.rows(UNPLACED, { uid });
  }

  /**
   * Targets of this list at which the user has a node or an accepted share of either kind. An expired share counts,
   * because it may be extended; a share whose node is in the trash bin does not.
   */
  async occupied(uid: string, targets: readonly string[]): Promise<Set<string>> {
    const rows = await this.database.rows(OCCUPIED, { uid, targets: targets.map(md5), paths: targets });
    return new Set(rows.map((row) => row.path));
  }

  async setTargets(uid: string, placements: readonly Placement[]): Promise<void> {
    const shareIds = placements.map((placement) => placement.shareId);
    await this.database.rows(SET_TARGETS, {
      uid,
      shareIds,
      targets: placements.map((placement) => placement.target),
    });
  }

  /** Present or last place of a node in the user's tree. */
  async lastPlace(uid: string, nodeId: number): Promise<LastPlace | undefined> {
    return (await this.database.rows(PLACED_BEFORE, { uid, nodeId }))[0];
  }

  /** The place that was requested when the share was made. */
  async wishedPlace(shareId: number): Promise<RowOf<typeof WISHED_PLACE> | undefined> {
    return (await this.database.rows(WISHED, { shareId }))[0];
  }

  /**
   * Sets one state for all shares of a node with this user, including those with their groups. Only declining is done to their own.
   * @param state 0 accepted, 1 pending, 2 declined
   * @param target null keeps the target of each share
   */
  async setState(uid: string, nodeId: number, state: 0 | 1 | 2, target: string | null): Promise<void> {
    await this.database.rows(SET_STATE, { uid, nodeId, state, target, acting: actingText() });
  }
}
