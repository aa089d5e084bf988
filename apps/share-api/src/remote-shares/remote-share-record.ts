import type { OcsValue } from '#ocs/protocol';
import { FOLDER_MIMETYPE, mountPermissions, type ReceivedShareView } from '#sharing';
import { mimetypeOf } from '#storage';

export type RemoteShareRecord = Readonly<Record<string, OcsValue>>;

/** A received share as clients know it, in their order of fields. Source: ocs-facts 8. */
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
    // Beyond those of deployed servers, behind all others.
    owner_display_name: share.ownerDisplayName,
    sender: share.sender,
    sender_display_name: share.senderDisplayName,
    description: share.description,
    verified: share.verified,
  };
}

/** Fields about the mounted content; its id alone as long as its server did not describe it. */
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
