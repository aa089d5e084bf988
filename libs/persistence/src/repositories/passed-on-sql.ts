import { MOUNTS } from './mount-sql';
import { aliveAs } from './share-row';

/** Whether a mount `m` shows the node `top`, or a folder above it. */
export const COVERS_TOP = `m.storage_id = top.storage_id
      AND (top.path = m.root_path OR starts_with(top.path, m.root_path || '/'))`;

/**
 * Whether a link or federated share still gives access; aliases: `l` share, `top` its node. It has not expired, who
 * made it can sign in, and either owns the node or has it through an accepted share, be it a partner's, that may be
 * passed on.
 */
export const STILL_PASSED_ON = `${aliveAs('l')}
  AND EXISTS (SELECT FROM user_account i WHERE i.uid = l.initiator_uid AND i.enabled)
  AND ((l.initiator_uid = top.owner_uid AND top.received_share_id IS NULL) OR EXISTS (
    SELECT FROM ${MOUNTS}
    WHERE m.uid = l.initiator_uid AND ${COVERS_TOP}
      AND (m.permissions & 16) > 0
  ))`;
