import { MUST_USE_MFA } from '../access/mfa-demand';
import { MUST_EXCHANGE } from '../access/token-demand';
import type { FederatedCloudId } from '../addresses/federated-cloud-id';
import { spellCloudId, spellForeignId } from '../addresses/spelling';
import { SecretText } from '../secret-text';
import { TRAITS, type PeerProduct } from '../peers/peer-product';
import type { OcmDocument } from '../discovery/read-documents';
import type { PeerProfile } from '../peers/peer-profile';
import { OWN_WINDOW } from '../webapps/own-window';
import { wordsOf } from '../wire/permission-words';
import {
  EVENTS,
  TAKES_CONTENT_CHANGES,
  TAKES_SEEN,
  TAKES_SHARE_REQUESTS,
  type PartnerEvent,
} from '../messages/partner-events';
import type {
  OutgoingNotice,
  OutgoingShare,
  OutgoingShareRequest,
  WireRequest,
} from '../messages/partner-message';

/** `POST {endPoint}/shares`, in the shape of OCM 1.0: content by discovery, the secret as Basic user name. */
export function ocmWebdavOffer(share: OutgoingShare, profile: PeerProfile): WireRequest {
  const secret = share.sharedSecret.reveal();
  const options = TRAITS[profile.product].superset
    ? { sharedSecret: secret, permissions: '{http://open-cloud-mesh.org/ns}share-permissions' }
    : { sharedSecret: secret };
  return post(profile, 'shares', {
    // In this form a folder is called `file`, too.
    ...offerMembers(share, profile, 'file'),
    protocol: { name: 'webdav', options },
  });
}

/** Products that refuse the name `folder` in every form. */
const ONLY_FILES: readonly PeerProduct[] = ['owncloud10', 'nextcloud'];

/** `POST {endPoint}/shares`, in the shape of OCM 1.1 and newer: content under its own address, the secret as Bearer. */
export function ocmMultiOffer(share: OutgoingShare, profile: PeerProfile): WireRequest {
  const resourceType = ONLY_FILES.includes(profile.product) ? 'file' : share.nodeKind;
  return post(profile, 'shares', {
    ...offerMembers(share, profile, resourceType),
    ...(share.expiresAt === null ? {} : { expiration: share.expiresAt }),
    // There are no `options`: strict servers refuse them, even empty ones.
    protocol: {
      name: 'multi',
      webdav: webdavMember(share, profile),
      ...(share.webappUri !== undefined && { webapp: webappMember(share, share.webappUri) }),
    },
  });
}

interface Content {
  readonly sharedSecret: SecretText;
  readonly permissions: number;
  readonly webdavUri: string;
  readonly mustExchange: boolean;
  readonly mustUseMfa: boolean;
}

/** Both ways to a share demand the same. */
const requirementsOf = ({ mustExchange, mustUseMfa }: Content): string[] => [
  ...(mustExchange ? [MUST_EXCHANGE] : []),
  ...(mustUseMfa ? [MUST_USE_MFA] : []),
];

/** The page shows nothing that WebDAV does not, and has no way to share on. */
function webappMember(content: Content, uri: string): object {
  const words = wordsOf(content.permissions).filter((word) => word !== 'share');
  return {
    uri,
    targets: [OWN_WINDOW],
    permissions: words.includes('read') ? ['view', ...words] : words,
    requirements: requirementsOf(content),
    sharedSecret: content.sharedSecret.reveal(),
  };
}

function webdavMember(content: Content, profile: PeerProfile): object {
  const words = wordsOf(content.permissions);
  const requirements = requirementsOf(content);
  return {
    sharedSecret: content.sharedSecret.reveal(),
    permissions: TRAITS[profile.product].knowsShareWord ? words : words.filter((word) => word !== 'share'),
    ...(requirements.length > 0 ? { requirements } : {}),
    uri: content.webdavUri,
    // OpenCloud before `webdav-uri` reads only the older name. Without it, it stores a share that can never be opened.
    ...(readsUri(profile) ? {} : { url: content.webdavUri }),
  };
}

const readsUri = ({ capabilities, webdavReceive }: PeerProfile): boolean =>
  webdavReceive !== null || capabilities.includes('webdav-uri');

function offerMembers(share: OutgoingShare, profile: PeerProfile, resourceType: string): object {
  const { owner, sender } = share;
  const isReshare = sender.cloudId.canonical !== owner.cloudId.canonical;
  const senderId = isReshare
    ? spellForeignId(sender.cloudId, profile.spelling)
    : spellCloudId(sender.cloudId, profile.spelling);
  const superset = TRAITS[profile.product].superset;
  return {
    shareWith: spellRecipient(share.shareWith, profile),
    name: share.name,
    ...(superset || share.description !== '' ? { description: share.description } : {}),
    providerId: share.providerId,
    owner: spellCloudId(owner.cloudId, profile.spelling),
    ownerDisplayName: owner.displayName,
    sender: senderId,
    senderDisplayName: sender.displayName,
    ...(superset ? { sharedBy: senderId, sharedByDisplayName: sender.displayName } : {}),
    shareType: share.isForGroup ? 'group' : 'user',
    resourceType,
    ...exactBits(share, profile),
  };
}

/** ownCloud forwards the text that its user typed; oCIS and OpenCloud do not accept the ids that they give out. */
function spellRecipient(recipient: FederatedCloudId, { product, spelling }: PeerProfile): string {
  const isEncoded = recipient.person !== recipient.user;
  const user = TRAITS[product].knowsPlainIdsOnly && isEncoded ? recipient.person : recipient.userAsWritten;
  return spellCloudId(recipient, spelling === 'with-scheme' ? 'as-written' : spelling, user);
}

/**
 * `POST {endPoint}/notifications`.
 * @returns undefined if the partner has no such message
 */
export function ocmNotice(notice: OutgoingNotice, profile: PeerProfile): WireRequest | undefined {
  const bound = bindingOf(notice, profile);
  if (!bound || !isUnderstood(notice.kind, profile)) return undefined;
  const { type, message } = EVENTS[eventFor(notice, profile)].ocm;
  return post(profile, 'notifications', {
    notificationType: type,
    resourceType: 'file',
    providerId: notice.providerId,
    notification: { ...bound, message, ...innerMembers(notice, profile) },
  });
}

/**
 * `POST {endPoint}/request-share`.
 * @returns undefined if the partner does not announce that its users can be asked
 */
export function ocmShareRequest(
  { owner, requester, resource }: OutgoingShareRequest,
  profile: PeerProfile,
): WireRequest | undefined {
  if (!profile.capabilities.includes(TAKES_SHARE_REQUESTS)) return undefined;
  return post(profile, 'request-share', {
    owner: spellRecipient(owner, profile),
    shareWith: spellCloudId(requester, profile.spelling),
    share: resource,
  });
}

/** Nextcloud fails when the owner's server tells it that the recipient of a reshare declined (federation-facts 16). */
const eventFor = (notice: OutgoingNotice, { product }: PeerProfile): PartnerEvent =>
  notice.kind === 'share-declined' && notice.toResharer && product === 'nextcloud'
    ? 'reshare-undone'
    : notice.kind;

/** A server that announces notifications gets those of the specification, for any product. */
function isUnderstood(kind: OutgoingNotice['kind'], { product, capabilities }: PeerProfile): boolean {
  const { takesPermissionChanges, ignoresAnswers } = TRAITS[product];
  if (kind === 'share-permissions') return takesPermissionChanges;
  if (kind === 'content-changed') return capabilities.includes(TAKES_CONTENT_CHANGES);
  if (kind === 'share-seen') return capabilities.includes(TAKES_SEEN);
  return kind === 'share-unshared' || !ignoresAnswers || capabilities.includes('notifications');
}

/** Binds the notice by the secret. oCIS checks the recipient instead, and needs no secret. */
function bindingOf({ grantee, sharedSecret }: OutgoingNotice, profile: PeerProfile): object | undefined {
  if (profile.product !== 'ocis') return { sharedSecret: sharedSecret.reveal() };
  return grantee === null ? undefined : { grantee: spellRecipient(grantee, profile) };
}

function innerMembers(notice: OutgoingNotice, profile: PeerProfile): object {
  switch (notice.kind) {
    case 'reshare-permissions':
      return { permission: wordsOf(notice.permissions), ...exactBits(notice, profile) };
    case 'share-permissions':
      return {
        protocol: { name: 'multi', webdav: webdavMember(notice, profile) },
        ...exactBits(notice, profile),
        ...expiryMember(notice, profile),
        ...descriptionMember(notice, profile),
      };
    case 'reshare-requested':
      return {
        senderId: Number(notice.requesterShareId),
        shareWith: spellForeignId(notice.shareWith, profile.spelling),
        ...(profile.product === 'nextcloud' ? { shareType: 6 } : {}),
        ...exactBits(notice, profile),
      };
    case 'content-changed':
      return { etag: notice.etag, size: notice.size, path: notice.path };
    case 'share-declined':
      return notice.reason ? { reason: notice.reason } : {};
    case 'share-accepted':
    case 'share-seen':
    case 'share-unshared':
    case 'reshare-undone':
      return {};
  }
}

/** Words are less exact than bits, and a request for a reshare has none. Our own instances read the bits. */
const exactBits = ({ permissions }: { permissions: number }, { product }: PeerProfile): object =>
  readsAdditions(product) ? { permissions } : {};

/** The specification has no message for it. Our own instances read it as in an offer; 0 means none. */
const expiryMember = ({ expiresAt }: { expiresAt?: number | null }, { product }: PeerProfile): object =>
  readsAdditions(product) && expiresAt !== undefined ? { expiration: expiresAt ?? 0 } : {};

/** The same holds for the note of the share's maker. */
const descriptionMember = (
  { description }: { description?: string | undefined },
  { product }: PeerProfile,
): object => (readsAdditions(product) && description !== undefined ? { description } : {});

/** Whether servers of the product read our additions to OCM: permissions as bits, and changes of expiry and description. */
export const readsAdditions = (product: PeerProduct): boolean => product === 'drawbridge';

/** An unknown product with content at other paths than ownCloud and Nextcloud is probably a newer one. */
export const looksNew = (document: OcmDocument | undefined): boolean =>
  /^1\.[1-9]/.test(document?.apiVersion ?? '');

function post(profile: PeerProfile, resource: string, body: object): WireRequest {
  return {
    method: 'POST',
    url: `${profile.ocmEndPoint}/${resource}`,
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: new SecretText(JSON.stringify(body)),
  };
}
