import { clampToKind } from '#sharing';
import type { OutgoingMessage } from '../messages/message';
import type { NewMessage } from '../messages/new-message';
import type { GrantedReply, NoticePayload, PermissionsPayload, ResharePayload } from '../messages/payloads';

/** A request for a reshare that the owner's server granted. */
export interface GrantedRequest {
  readonly message: Pick<OutgoingMessage, 'subject' | 'peerId' | 'revision'>;
  readonly asked: ResharePayload;
  readonly granted: GrantedReply;
}

/** The partner that gets our message about the end of a granted reshare; null if the owner's server sends that message. */
export const recipientToNotify = ({ asked, granted }: GrantedRequest): number | null =>
  granted.recipientIsOurs ? asked.instead.peerId : null;

/**
 * Messages that are needed after a granted reshare: none if the share is as the owner's server made it, its permissions if
 * they differ, its end if it has ended here.
 * @param share its present state; undefined if it ended before the answer came
 */
export function afterGrant(
  request: GrantedRequest,
  share: { readonly revision: number; readonly permissions: number } | undefined,
): readonly NewMessage[] {
  const { message, asked, granted } = request;
  const sealedSecret = Buffer.from(granted.sealedSecret, 'base64');
  const about = { subject: message.subject, peerId: message.peerId, sealedSecret };
  const notice: NoticePayload = { providerId: granted.providerId, grantee: asked.shareWith };
  if (!share) {
    const revision = message.revision + 1;
    const undo: NewMessage = { ...about, kind: 'reshare-undo', revision, payload: notice };
    const peerId = recipientToNotify(request);
    if (peerId === null) return [undo];
    const subject = { type: 'reshare', id: message.subject.id } as const;
    return [undo, { kind: 'share-unshare', subject, peerId, revision, payload: notice, sealedSecret }];
  }
  const given = granted.asRequested
    ? asked.permissions
    : clampToKind(asked.receivedPermissions, asked.instead.offer.nodeKind);
  if (share.permissions === given) return [];
  const payload: PermissionsPayload = { ...notice, permissions: share.permissions };
  return [{ ...about, kind: 'reshare-permissions', revision: share.revision, payload }];
}
