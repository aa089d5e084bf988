import {
  localCloudId,
  OUR_PATHS,
  parseCloudId,
  withUser,
  type FederatedCloudId,
  type OutgoingShare,
  type OutgoingShareRequest,
  type PartnerMessage,
  type Party,
  type SecretText,
} from '#federation/protocol';
import { daysAfter, type Day } from '#sharing';
import type { OutgoingMessage } from './message';
import { plainNotice, readContent } from './message-catalogue';
import type { OfferPayload, ShareRequestPayload } from './payloads';

/** Values that the outbox row does not contain. */
export interface MessageFrame {
  readonly sharedSecret: SecretText;
  /** Address of this instance, without a trailing slash. */
  readonly publicUrl: string;
  /** Whether the partner has to exchange the secret of the share. */
  readonly mustExchange: boolean;
  /** Whether the partner must demand a second factor for the share. */
  readonly mustUseMfa: boolean;
  /** Whether the partner's people can open a page of this instance that shows the share; absent for no. */
  readonly hasWebapp?: boolean;
  /** The user id that the recipient's server gave; undefined if the recipient is no contact. */
  readonly knownAs?: string | undefined;
}

/** Whether a message would give access to a share after its last day. */
export function hasExpired(
  { kind, payload }: Pick<OutgoingMessage, 'kind' | 'payload'>,
  nowMs: number,
): boolean {
  const content = readContent(kind, payload);
  if (content.kind !== 'share-create' && content.kind !== 'share-permissions') return false;
  const expiresAt = expiryOf(content.payload.expiresOn);
  return typeof expiresAt === 'number' && expiresAt * 1000 <= nowMs;
}

/** Values that all messages of a share have in common. */
interface Frame extends MessageFrame {
  readonly shareId: number;
}

/** Builds the message of an outbox row. */
export function partnerMessageOf(
  message: Pick<OutgoingMessage, 'kind' | 'subject' | 'payload'>,
  given: MessageFrame,
): PartnerMessage {
  const frame = { ...given, shareId: message.subject.id };
  const { sharedSecret, mustExchange, mustUseMfa } = given;
  const content = readContent(message.kind, message.payload);
  if (content.kind === 'share-create') return offerOf(content.payload, frame);
  if (content.kind === 'share-request') return requestOf(content.payload, frame);
  const { providerId, grantee } = content.payload;
  const about = { providerId, sharedSecret, grantee: grantee === null ? null : parseCloudId(grantee) };
  switch (content.kind) {
    case 'share-permissions':
      return {
        ...about,
        kind: 'share-permissions',
        permissions: content.payload.permissions,
        expiresAt: expiryOf(content.payload.expiresOn),
        description: content.payload.note ?? (content.payload.note === null ? '' : undefined),
        webdavUri: contentAddress(frame),
        mustExchange,
        mustUseMfa,
      };
    case 'share-content': {
      const { etag, size, path } = content.payload;
      return { ...about, kind: 'content-changed', etag, size, path };
    }
    case 'reshare-permissions':
      return { ...about, kind: 'reshare-permissions', permissions: content.payload.permissions };
    case 'reshare-request': {
      const { shareWith, permissions } = content.payload;
      return {
        ...about,
        kind: 'reshare-requested',
        shareWith: parseCloudId(shareWith),
        requesterShareId: String(frame.shareId),
        permissions,
      };
    }
    case 'received-decline':
      return { ...about, kind: 'share-declined', reason: content.payload.reason ?? null };
    case 'reshare-declined':
      return { ...about, kind: 'share-declined', toResharer: true };
    case 'share-unshare':
    case 'received-seen':
    case 'received-accept':
    case 'reshare-accepted':
    case 'reshare-undo':
      return { ...about, kind: plainNotice(content.kind) };
  }
}

function requestOf(
  { owner, requesterUid, resource }: ShareRequestPayload,
  { publicUrl }: Frame,
): OutgoingShareRequest {
  const requester = localCloudId(requesterUid, publicUrl);
  return { kind: 'share-request', owner: parseCloudId(owner), requester, resource };
}

function offerOf(payload: OfferPayload, frame: Frame): OutgoingShare {
  const { shareWith, name, nodeKind, permissions, expiresOn, owner, sender } = payload;
  const partyOf = (party: OfferPayload['sender']): Party => ({
    cloudId: 'uid' in party ? localCloudId(party.uid, frame.publicUrl) : parseCloudId(party.cloudId),
    displayName: party.displayName,
  });
  return {
    kind: 'offer',
    shareWith: recipientOf(parseCloudId(shareWith), frame.knownAs),
    isForGroup: payload.shareType === 'group',
    name,
    nodeKind,
    providerId: String(frame.shareId),
    sharedSecret: frame.sharedSecret,
    owner: partyOf(owner),
    sender: partyOf(sender),
    description: payload.note ?? '',
    permissions,
    expiresAt: expiryOf(expiresOn),
    webdavUri: contentAddress(frame),
    mustExchange: frame.mustExchange,
    mustUseMfa: frame.mustUseMfa,
    ...(frame.hasWebapp && { webappUri: `${frame.publicUrl}${OUR_PATHS.webapp}/${frame.shareId}` }),
  };
}

/** For a contact, the spelling from its server is used, even if the share was made with another one. */
function recipientOf(written: FederatedCloudId, knownAs: string | undefined): FederatedCloudId {
  return knownAs === undefined || knownAs === written.user ? written : withUser(written, knownAs);
}

const contentAddress = ({ publicUrl, shareId }: Frame): string =>
  `${publicUrl}${OUR_PATHS.webdavById}/${shareId}`;

function expiryOf(day: string | null): number | null;
function expiryOf(day: string | null | undefined): number | null | undefined;
function expiryOf(day: string | null | undefined): number | null | undefined {
  return day ? endOf(day as Day) : day === undefined ? undefined : null;
}

/** A share is valid through its last day, in UTC. @returns UNIX seconds */
const endOf = (day: Day): number => Date.parse(daysAfter(day, 1)) / 1000;
