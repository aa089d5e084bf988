import type { Queryable } from '../database';
import { statement } from '../statement';
import { md5 } from './node.repository';

/** An accepted share that has no place in its recipient's tree yet. */
export interface UnplacedShare {
  readonly shareId: number;
  readonly nodeId: number;
  /** The target that was wished for when the share was made; its last part is the node's name then. */
  readonly wishedTarget: string;
  /** Where another share of the same node already stands in the recipient's tree. */
  readonly placedTarget: string | null;
}

export interface LastPlace {
  readonly target: string;
  readonly stillThere: boolean;
}

export interface Placement {
  readonly shareId: number;
  readonly target: string;
}

const ALIVE = `(h.expires_on IS NULL OR h.expires_on >= current_date)`;

/** Group shares of the user's groups that have no personal row yet; his own nodes are never mounted. */
const WITHOUT_ROW = `FROM group_member m
   JOIN share h ON h.share_type = 1 AND h.recipient_canonical = m.gid AND h.owner_uid <> m.uid AND ${ALIVE}
   WHERE m.uid = $1 AND NOT EXISTS (SELECT FROM share_recipient r WHERE r.share_id = h.id AND r.uid = m.uid)`;

const PENDING = statement<{ found: boolean }>(
  'mount_anything_to_place',
  `SELECT EXISTS (
     SELECT FROM share_recipient r JOIN share h ON h.id = r.share_id
     WHERE r.uid = $1 AND r.state = 0 AND r.file_target IS NULL AND ${ALIVE}
   ) OR EXISTS (SELECT ${WITHOUT_ROW}) AS found`,
);

// Who shared a node on with a group he is in himself already has it: his own row starts declined.
const MAKE_ROWS = statement(
  'mount_make_group_rows',
  `INSERT INTO share_recipient (share_id, uid, state)
   SELECT h.id, m.uid, CASE WHEN h.initiator_uid = m.uid THEN 2 ELSE h.initial_state END ${WITHOUT_ROW}
   ON CONFLICT DO NOTHING`,
);

const UNPLACED = statement<UnplacedShare>(
  'mount_unplaced',
  `SELECT h.id AS "shareId", h.node_id AS "nodeId", h.file_target AS "wishedTarget", (
     SELECT min(other.file_target) FROM share sibling
     JOIN share_recipient other ON other.share_id = sibling.id
     WHERE sibling.node_id = h.node_id AND other.uid = r.uid AND other.state = 0
   ) AS "placedTarget"
   FROM share_recipient r JOIN share h ON h.id = r.share_id
   WHERE r.uid = $1 AND r.state = 0 AND r.file_target IS NULL AND ${ALIVE}
   ORDER BY h.id`,
);

const OCCUPIED = statement<{ path: string }>(
  'mount_occupied_targets',
  `SELECT n.path FROM storage s JOIN node n ON n.storage_id = s.id
   WHERE s.owner_uid = $1 AND n.path_hash = ANY($2::uuid[]) AND n.path = ANY($3::text[])
   UNION
   SELECT r.file_target FROM share_recipient r
   WHERE r.uid = $1 AND r.state = 0 AND r.target_hash = ANY($2::uuid[]) AND r.file_target = ANY($3::text[])`,
);

const SET_TARGETS = statement(
  'mount_set_targets',
  `UPDATE share_recipient r SET file_target = placed.target
   FROM unnest($2::bigint[], $3::text[]) AS placed(share_id, target)
   WHERE r.uid = $1 AND r.share_id = placed.share_id`,
);

const PLACED_BEFORE = statement<LastPlace>(
  'mount_placed_before',
  `SELECT r.file_target AS target, r.state = 0 AS "stillThere" FROM share h JOIN share_recipient r ON r.share_id = h.id
   WHERE h.node_id = $2 AND r.uid = $1 AND r.file_target IS NOT NULL
   ORDER BY r.state, h.id LIMIT 1`,
);

const WISHED = statement<{ target: string }>(
  'mount_wished_target',
  `SELECT file_target AS target FROM share WHERE id = $1`,
);

const SET_STATE = statement(
  'mount_set_state',
  `INSERT INTO share_recipient (share_id, uid, state, file_target)
   SELECT h.id, $1, $3, $4 FROM share h
   WHERE h.node_id = $2 AND h.owner_uid <> $1 AND ${ALIVE} AND (
     (h.share_type = 0 AND EXISTS (SELECT FROM share_recipient r WHERE r.share_id = h.id AND r.uid = $1))
     OR (h.share_type = 1 AND EXISTS (SELECT FROM group_member m WHERE m.gid = h.recipient_canonical AND m.uid = $1))
   )
   ON CONFLICT (share_id, uid) DO UPDATE SET state = excluded.state,
     file_target = coalesce(excluded.file_target, share_recipient.file_target)`,
);

/** Writes where received shares stand in their recipients' trees. Everything but `anythingToPlace` belongs in a transaction. */
export class MountPlacementRepository {
  constructor(private readonly database: Queryable) {}

  /** Whether the user has accepted shares without a place; asked before his tree is read, so it only probes indexes. */
  async anythingToPlace(uid: string): Promise<boolean> {
    const [row] = await this.database.rows(PENDING, [uid]);
    return row!.found;
  }

  /** Gives the user his personal row of each group share that he has none of. */
  async makeGroupRows(uid: string): Promise<void> {
    await this.database.rows(MAKE_ROWS, [uid]);
  }

  unplaced(uid: string): Promise<UnplacedShare[]> {
    return this.database.rows(UNPLACED, [uid]);
  }

  /** Those of `targets` at which the user has a node or an accepted share; an expired one may be prolonged. */
  async occupied(uid: string, targets: readonly string[]): Promise<Set<string>> {
    const rows = await this.database.rows(OCCUPIED, [uid, targets.map(md5), targets]);
    return new Set(rows.map((row) => row.path));
  }

  async setTargets(uid: string, placements: readonly Placement[]): Promise<void> {
    const shareIds = placements.map((placement) => placement.shareId);
    await this.database.rows(SET_TARGETS, [uid, shareIds, placements.map((placement) => placement.target)]);
  }

  /** Where a node stands or last stood in the user's tree. */
  async lastPlace(uid: string, nodeId: number): Promise<LastPlace | undefined> {
    return (await this.database.rows(PLACED_BEFORE, [uid, nodeId]))[0];
  }

  async wishedTarget(shareId: number): Promise<string | undefined> {
    return (await this.database.rows(WISHED, [shareId]))[0]?.target;
  }

  /**
   * Gives all shares of a node to this user, his groups' too, one state.
   * @param state 0 accepted, 1 pending, 2 declined
   * @param target null keeps each share's own
   */
  async setState(uid: string, nodeId: number, state: 0 | 1 | 2, target: string | null): Promise<void> {
    await this.database.rows(SET_STATE, [uid, nodeId, state, target]);
  }
}
