/**
 * What makes a received share visible in its recipient's tree; aliases: `r` share_recipient, `h` share.
 * Expiry and membership are read here, so that neither waits for a sweep or a clean-up.
 */
export const LIVE_MOUNT = `r.state = 0 AND r.file_target IS NOT NULL
  AND (h.expires_on IS NULL OR h.expires_on >= current_date)
  AND (h.share_type = 0 OR EXISTS (SELECT FROM group_member m WHERE m.gid = h.recipient_canonical AND m.uid = r.uid))`;

/** A received share with the node it shows; aliases `r`, `h` and `root`. */
export const MOUNT_TABLES = `share_recipient r
  JOIN share h ON h.id = r.share_id AND h.share_type IN (0, 1)
  JOIN node root ON root.id = h.node_id`;

/** Changes whenever a mount of the group comes, goes, moves, or its content or permissions change. */
export const MOUNT_DIGEST = `md5(string_agg(r.file_target || ' ' || root.etag || ' ' || h.permissions, ' ' ORDER BY r.share_id))`;
