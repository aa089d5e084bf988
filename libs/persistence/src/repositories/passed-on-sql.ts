import { LIVE_MOUNT, MOUNT_TABLES } from './mount-sql';
import { aliveAs } from './share-row';

/**
 * Whether a link or federated share still gives access; aliases: `l` share, `top` its node. It has not expired, who
 * made it can sign in, and either owns the node or has it through an accepted share that may be passed on.
 */
export const STILL_PASSED_ON = `${aliveAs('l')}
  AND EXISTS (SELECT FROM user_account i WHERE i.uid = l.initiator_uid AND i.enabled)
  AND (l.initiator_uid = top.owner_uid OR EXISTS (
    SELECT FROM ${MOUNT_TABLES}
    WHERE r.uid = l.initiator_uid AND root.storage_id = top.storage_id
      AND (top.path = root.path OR starts_with(top.path, root.path || '/'))
      AND (s.permissions & 16) > 0 AND ${LIVE_MOUNT}
  ))`;
