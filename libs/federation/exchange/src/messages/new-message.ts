import type { Subject } from './message';
import type { MessageKind } from './message-catalogue';
import type {
  ContentPayload,
  DeclinePayload,
  NoticePayload,
  OfferPayload,
  PermissionsPayload,
  ResharePayload,
} from './payloads';

/** A new message to a partner, before it is stored. */
export interface NewMessage {
  readonly kind: MessageKind;
  readonly subject: Subject;
  readonly peerId: number;
  /** Revision of the subject that the message describes. */
  readonly revision: number;
  /** Everything that its sender needs, because the subject's row may be gone by then. It contains no secret. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** Sealed; null if the message has no secret. */
  readonly sealedSecret: Buffer | null;
}

/** A federated share whose permissions changed here. */
export interface TouchedShare {
  readonly revision: number;
  readonly peer_id: number;
  readonly recipient: string;
  readonly token_enc: Buffer;
  /** `YYYY-MM-DD`; null for none. */
  readonly expires_on: string | null;
  /** Note of its maker; null for none. */
  readonly note: string | null;
  /** Its id and sealed secret at the owner's server, if that server made it. */
  readonly granted_id: string | null;
  readonly granted_token_enc: Buffer | null;
  /** The partner that requested it, and its id there. */
  readonly requester_peer_id: number | null;
  readonly requester_share_id: string | null;
}

/** A message to the recipient's server, or to the owner's server if that made the share. */
export function changeForRecipient(id: number, touched: TouchedShare, permissions: number): NewMessage {
  const { peer_id: peerId, revision, recipient: grantee } = touched;
  const about = { subject: { type: 'share', id }, peerId, revision } as const;
  if (touched.granted_id === null) {
    const { expires_on: expiresOn, note } = touched;
    const payload: PermissionsPayload = { providerId: String(id), grantee, permissions, expiresOn, note };
    return { ...about, kind: 'share-permissions', payload, sealedSecret: touched.token_enc };
  }
  const payload: PermissionsPayload = { providerId: touched.granted_id, grantee, permissions };
  return { ...about, kind: 'reshare-permissions', payload, sealedSecret: touched.granted_token_enc };
}

/** A message to the partner that requested the share; undefined if there is none, or if it does not know the share yet. */
export function changeForRequester(
  id: number,
  touched: TouchedShare,
  permissions: number,
): NewMessage | undefined {
  const { requester_peer_id: peerId, requester_share_id: providerId, recipient: grantee } = touched;
  if (peerId === null || providerId === null) return undefined;
  const payload: PermissionsPayload = { providerId, grantee, permissions };
  const about = { subject: { type: 'reshare', id }, peerId, revision: touched.revision } as const;
  return { ...about, kind: 'reshare-permissions', payload, sealedSecret: touched.token_enc };
}

/** A share of ours with changed content. */
export interface ChangedShare {
  readonly shareId: number;
  readonly peerId: number;
  readonly recipient: string;
  readonly sealedSecret: Buffer;
  /** Path of the shared node in its storage. */
  readonly rootPath: string;
  readonly etag: string;
  readonly size: number;
}

/**
 * Tells the recipient's server that the content changed.
 * @param change its number within the share, and the path of the changed node; null for several
 */
export function changeOfContent(
  share: ChangedShare,
  change: { readonly revision: number; readonly path: string | null },
): NewMessage {
  const { shareId, peerId, recipient: grantee, etag, size, sealedSecret } = share;
  const path = pathBelow(share.rootPath, change.path);
  const payload: ContentPayload = { providerId: String(shareId), grantee, etag, size, path };
  const subject = { type: 'share', id: shareId } as const;
  return { kind: 'share-content', subject, peerId, revision: change.revision, payload, sealedSecret };
}

/** `''` for the root itself, and for a path outside of it. */
const pathBelow = (root: string, path: string | null): string =>
  path?.startsWith(`${root}/`) ? path.slice(root.length) : '';

/** A received share after its recipient's decision. */
export interface DecidedShare {
  readonly id: number;
  readonly peerId: number;
  readonly providerId: string;
  readonly tokenEnc: Buffer;
}

/** A recipient's decision on an offer, or the fact that they saw it. */
export type OfferAnswer =
  | { readonly kind: 'seen' | 'accepted' }
  /** `reason`: text of the recipient; null for none. */
  | { readonly kind: 'declined'; readonly reason: string | null };

const ANSWERS = { seen: 'received-seen', accepted: 'received-accept', declined: 'received-decline' } as const;

/**
 * Tells the owner's server how the recipient answered the offer.
 * @param grantee the recipient's cloud id; null if our own address is not known
 */
export function answerToOffer(
  share: DecidedShare,
  answer: OfferAnswer,
  revision: number,
  grantee: string | null,
): NewMessage {
  const about: NoticePayload = { providerId: share.providerId, grantee };
  const payload: DeclinePayload =
    answer.kind === 'declined' && answer.reason !== null ? { ...about, reason: answer.reason } : about;
  return {
    kind: ANSWERS[answer.kind],
    subject: { type: 'received-share', id: share.id },
    peerId: share.peerId,
    revision,
    payload,
    sealedSecret: share.tokenEnc,
  };
}

/** The offer that we make ourselves if the owner's server leaves a reshare to us: of the share as it is by now. */
export function offerInstead(
  subject: Subject,
  { instead }: ResharePayload,
  share: Pick<TouchedShare, 'revision' | 'peer_id' | 'expires_on' | 'note' | 'token_enc'> & {
    readonly permissions: number;
  },
): NewMessage {
  const { permissions, expires_on: expiresOn, note } = share;
  const payload: OfferPayload = { ...instead.offer, permissions, expiresOn, note };
  return {
    kind: 'share-create',
    subject,
    peerId: share.peer_id,
    revision: share.revision,
    payload,
    sealedSecret: share.token_enc,
  };
}
