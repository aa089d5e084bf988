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

/** A message to a partner that is to be written. */
export interface NewMessage {
  readonly kind: MessageKind;
  readonly subject: Subject;
  readonly peerId: number;
  /** The subject's revision that the message tells of. */
  readonly revision: number;
  /** Everything that its sender needs, because the subject's row may be gone by then; no secret. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** Sealed; null where the message carries no secret. */
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
  /** Words of its maker; null for none. */
  readonly note: string | null;
  /** Its id and sealed secret at the server of its owner, where that made it. */
  readonly granted_id: string | null;
  readonly granted_token_enc: Buffer | null;
  /** The partner that asked for it, and its id there. */
  readonly requester_peer_id: number | null;
  readonly requester_share_id: string | null;
}

/** To the recipient's server, or to that of the owner which made the share. */
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

/** To the partner that asked for the share; undefined for none, and while it does not know the share. */
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

/** A share of ours whose content changed. */
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
 * To the recipient's server: the content is another one.
 * @param change its number among those of the share, and the path of the node that changed; null for several
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

/** `''` for the root itself, and for a path elsewhere. */
const pathBelow = (root: string, path: string | null): string =>
  path?.startsWith(`${root}/`) ? path.slice(root.length) : '';

/** A received share that its recipient decided on. */
export interface DecidedShare {
  readonly id: number;
  readonly peerId: number;
  readonly providerId: string;
  readonly tokenEnc: Buffer;
}

/** A recipient's decision on an offer, or that they saw it. */
export type OfferAnswer =
  | { readonly kind: 'seen' | 'accepted' }
  /** `reason`: words of the recipient; null for none. */
  | { readonly kind: 'declined'; readonly reason: string | null };

const ANSWERS = { seen: 'received-seen', accepted: 'received-accept', declined: 'received-decline' } as const;

/**
 * To the owner's server: how the recipient takes the offer.
 * @param grantee the recipient's cloud id; null where our own address is not known
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

/** The offer that we make ourselves where the owner's server leaves a reshare to us. */
export function offerInstead(
  subject: Subject,
  { instead }: ResharePayload,
  share: { readonly revision: number; readonly permissions: number; readonly token_enc: Buffer },
): NewMessage {
  const payload: OfferPayload = { ...instead.offer, permissions: share.permissions };
  return {
    kind: 'share-create',
    subject,
    peerId: instead.peerId,
    revision: share.revision,
    payload,
    sealedSecret: share.token_enc,
  };
}
