import { ALIVE } from './share-row';

/**
 * What makes a received share visible in its recipient's tree; aliases: `r` share_recipient, `s` share.
 * Expiry and membership are read here, so that neither waits for a sweep or a clean-up.
 */
export const LIVE_MOUNT = `r.state = 0 AND r.file_target IS NOT NULL AND s.permissions > 0
  AND ${ALIVE}
  AND (s.share_type = 0 OR EXISTS (SELECT FROM group_member m WHERE m.gid = s.recipient_canonical AND m.uid = r.uid))`;

/** A received share with the node it shows; aliases `r`, `s` and `root`. */
export const MOUNT_TABLES = `share_recipient r
  JOIN share s ON s.id = r.share_id AND s.share_type IN (0, 1)
  JOIN node root ON root.id = s.node_id`;

/** Changes whenever a mount of the group comes, goes, moves, or its content or permissions change. */
export const MOUNT_DIGEST = `md5(string_agg(r.file_target || ' ' || root.etag || ' ' || s.permissions, ' ' ORDER BY r.share_id))`;

/**
 * Whether `column` (collated "C") lies below the folder in `$parameter`; `0` is the character after the slash. Written
 * as a range, since an index serves that whatever the parameter's value, and starts_with() only for a constant.
 */
export function below(column: string, parameter: string): string {
  return `${column} > ${parameter} || '/' AND ${column} < ${parameter} || '0'`;
}
