import type { OcsValue } from '#ocs/protocol';
import { FOLDER_MIMETYPE, mountPermissions, type ReceivedShareView } from '#sharing';
import { mimetypeOf } from '#storage';

export type RemoteShareRecord = Readonly<Record<string, OcsValue>>;

/** The record of a received share, with the field order that clients know. Source: ocs-facts 8. */
export function remoteShareRecord(view: ReceivedShareView): RemoteShareRecord {
  const { share, mountPoint } = view;
  return {
    id: share.id,
    remote: share.remote,
    remote_id: share.providerId,
    share_token: share.shareToken,
    name: `/${share.name}`,
    owner: share.owner,
    user: share.recipientUid,
    mountpoint: mountPoint,
    accepted: share.state === 'pending' ? 0 : 1,
    ...(share.expiresAtSeconds !== null && { expiration: share.expiresAtSeconds }),
    ...contentFields(view),
    // An addition to the fields of deployed servers, placed last.
    owner_display_name: share.ownerDisplayName,
    sender: share.sender,
    sender_display_name: share.senderDisplayName,
    description: share.description,
    verified: share.verified,
    ...(share.webapp && {
      webapp: {
        app_name: share.webapp.appName,
        permissions: [...share.webapp.permissions],
        open: `/index.php/apps/ocm/open/${share.id}`,
      },
    }),
  };
}

/** Fields about the mounted content; only its id until its server has described it. */
function contentFields({ share }: ReceivedShareView): RemoteShareRecord {
  if (share.state === 'pending') return {};
  const file: RemoteShareRecord = share.rootId === null ? {} : { file_id: share.rootId };
  if (share.kind === null) return file;
  const isFolder = share.kind === 'folder';
  return {
    mimetype: share.mimetype ?? (isFolder ? FOLDER_MIMETYPE : mimetypeOf(share.name)),
    mtime: share.mtimeSeconds,
    permissions: mountPermissions(share),
    type: isFolder ? 'dir' : 'file',
    ...file,
    unreachable_since: share.unreachableSinceSeconds,
  };
}
