import { SHARE_TYPES } from '#sharing';
import { Injectable } from '@nestjs/common';
import { Database } from '../../database';
import { array, int8, text, type RowOf } from '../../postgres-types';
import { statement } from '../../statement';
import { PLACED_HERE } from '../shares/kind-sql';
import { givesAccess } from './mount-sql';

const CHANGED = { uid: text, nodeIds: array(int8) };
/** Changed nodes that an account can see. */
type ChangedForAccount = RowOf<typeof CHANGED>;

/** Recipients see shared nodes and everything below them. */
const AUDIENCE = statement({
  name: 'push_audience.of_nodes',
  params: { nodeIds: array(int8), uids: array(text) },
  row: CHANGED,
  sql: `WITH changed AS (SELECT id, storage_id, path, received_share_id FROM node WHERE id = ANY(:nodeIds::bigint[])),
   reached AS (
     SELECT st.owner_uid AS uid, c.id FROM changed c JOIN storage st ON st.id = c.storage_id
     UNION
     SELECT r.uid, d.id FROM changed c
     JOIN share s ON s.node_id = c.id AND s.share_type IN ${PLACED_HERE} AND ${givesAccess('c')}
     JOIN share_recipient r ON r.share_id = s.id AND r.state = 0
     JOIN changed d ON d.storage_id = c.storage_id AND (d.id = c.id OR starts_with(d.path, c.path || '/'))
     WHERE s.share_type = ${SHARE_TYPES.user}
       OR EXISTS (SELECT FROM group_member m WHERE m.gid = s.recipient_canonical AND m.uid = r.uid))
   SELECT uid, array_agg(id) AS "nodeIds" FROM reached WHERE uid = ANY(:uids::text[]) GROUP BY uid`,
});
const MEMBERS = statement({
  name: 'push_audience.of_groups',
  params: { gids: array(text), uids: array(text) },
  row: { uid: text },
  sql: `SELECT DISTINCT uid FROM group_member WHERE gid = ANY(:gids::text[]) AND uid = ANY(:uids::text[])`,
});

/** Connected accounts that a change concerns. */
@Injectable()
export class PushAudienceRepository {
  constructor(private readonly database: Database) {}

  /** Accounts of this list that see any of the nodes, each with its nodes. */
  ofNodes(nodeIds: readonly number[], uids: readonly string[]): Promise<ChangedForAccount[]> {
    return this.database.rows(AUDIENCE, { nodeIds, uids });
  }

  /** Accounts of this list that are in any of the groups. */
  async ofGroups(gids: readonly string[], uids: readonly string[]): Promise<string[]> {
    return (await this.database.rows(MEMBERS, { gids, uids })).map(({ uid }) => uid);
  }
}
