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

/** The partner that we tell of the end of a granted reshare; null where the owner's server does. */
export const recipientToNotify = ({ asked, granted }: GrantedRequest): number | null =>
  granted.recipientIsOurs ? asked.instead.peerId : null;

/**
 * Messages that follow on a granted reshare: none where the share is as the owner's server made it, its permissions where
 * they are others, and its end where it is over here.
 * @param share as it is now; undefined where it ended while the answer was under way
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
