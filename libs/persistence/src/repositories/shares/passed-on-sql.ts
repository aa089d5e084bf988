import { isWithOwner } from '../files/mount-sql';
import { aliveAs } from './share-row';

/** Whether a mount `m` shows the node `top`, or a folder above it. */
export const COVERS_TOP = `m.storage_id = top.storage_id
      AND (top.path = m.root_path OR starts_with(top.path, m.root_path || '/'))`;

/**
 * Whether a link or federated share, or a share with a group at partners, still gives access; aliases: `l` share, `top` its node. It has not expired, its
 * initiator can sign in, and content from a partner is still shared with them, with the permission to share it on. The case that an
 * initiator loses access to local content is handled when it happens, by the setting `reshares_without_access`.
 */
export const STILL_PASSED_ON = `${aliveAs('l')}
  AND EXISTS (SELECT FROM user_account i WHERE i.uid = l.initiator_uid AND i.enabled)
  AND ${isWithOwner('top', '(f.permissions & 16) > 0')}`;
