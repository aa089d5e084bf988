import { CloudIdInvalid, parseCloudId, type FederatedCloudId } from '../addresses/federated-cloud-id';
import { eventOfLegacy, eventOfOcm, type LegacyAction } from '../messages/partner-events';
import type { SecretText } from '../secret-text';
import { readExpiry } from './expiry';
import { FederationRefused } from './federation-refusal';
import { permissionsOf } from './permission-words';
import { LIMITS, WireFields } from './wire-fields';

interface NoticeBase {
  readonly dialect: 'ocm' | 'legacy';
  /** The share's id at the server that made it, as the receiver of the notice knows it. */
  readonly providerId: string;
  /** null if none was sent: then the notice is about a share of the partner that signed it, or about no share. */
  readonly sharedSecret: SecretText | null;
  /** Cloud id of the recipient, which oCIS sends. */
  readonly grantee: FederatedCloudId | null;
}

/** A message about a share that both sides know, in any dialect. */
export type PartnerNotice =
  | (NoticeBase & { readonly kind: 'share-accepted' })
  /** The recipient saw the offer, and has not decided yet. */
  | (NoticeBase & { readonly kind: 'share-seen' })
  /** The recipient declined a pending share or left an accepted one. */
  | (NoticeBase & {
      readonly kind: 'share-declined';
      /** Text of the recipient; null or absent for none. */
      readonly reason?: string | null;
    })
  | (NoticeBase & { readonly kind: 'share-unshared' })
  | (NoticeBase & { readonly kind: 'reshare-undone' })
  /** The recipient's new permissions, as bits. */
  | (NoticeBase & {
      readonly kind: 'share-permissions' | 'reshare-permissions';
      readonly permissions: number;
      /** Whether the bits themselves were sent. Words do not distinguish delete from write. */
      readonly exact: boolean;
      /** UNIX seconds; null for none, undefined if it does not change. */
      readonly expiresAt?: number | null;
      /** Empty for none, undefined if it does not change. */
      readonly description?: string;
    })
  /** The ETag of the share's root after the change. Size and path are sent, too, but are read from the content. */
  | (NoticeBase & { readonly kind: 'content-changed'; readonly etag: string })
  | (NoticeBase & {
      readonly kind: 'reshare-requested';
      readonly shareWith: FederatedCloudId;
      /** The share's id at the server of the requester. */
      readonly requesterShareId: string;
      /** Bits; null if the requester cannot name them. */
      readonly permissions: number | null;
    });

/**
 * Reads `POST {endPoint}/notifications`.
 *
 * Notices of other products about things that we do not have (rooms, calendars) are refused as unsupported.
 * @throws FederationRefused
 */
export function parseOcmNotice(body: unknown): PartnerNotice {
  const fields = new WireFields(body);
  const type = fields.text('notificationType', LIMITS.word);
  const providerId = fields.text('providerId', LIMITS.id);
  if (type === undefined || providerId === undefined) throw new FederationRefused('notification-missing');
  // The specification allows leaving it out.
  const resourceType = fields.text('resourceType', LIMITS.word) ?? 'file';
  if (resourceType !== 'file' && resourceType !== 'folder') {
    throw new FederationRefused('resource-type-unsupported', resourceType);
  }
  // It may be left out as well: then the signature binds the notice.
  return readInner(type, providerId, fields.object('notification'));
}

function readInner(type: string, providerId: string, inner: WireFields): PartnerNotice {
  const kind = eventOfOcm(type);
  switch (kind) {
    case 'share-accepted':
    case 'share-seen':
    case 'share-unshared':
    case 'reshare-undone':
      return { kind, ...binding(providerId, inner) };
    case 'share-declined':
      return { kind, ...binding(providerId, inner), reason: inner.shown('reason', LIMITS.reason) || null };
    case 'reshare-requested':
      inner.require(['sharedSecret', 'shareWith', 'senderId']);
      return {
        kind,
        ...binding(providerId, inner),
        shareWith: sharee(inner),
        requesterShareId: inner.text('senderId', LIMITS.id)!,
        permissions: exactBits(inner) ?? null,
      };
    case 'reshare-permissions':
      inner.require(['permission']);
      return changed(kind, binding(providerId, inner), inner.words('permission'), exactBits(inner));
    case 'share-permissions':
      return {
        ...changed(kind, binding(providerId, inner), protocolWords(inner), exactBits(inner)),
        ...(inner.has('expiration') && { expiresAt: readExpiry(inner, new Date()) }),
        ...(inner.isText('description') && { description: inner.shown('description', LIMITS.text) }),
      };
    case 'content-changed':
      inner.require(['etag']);
      return { kind, ...binding(providerId, inner), etag: inner.text('etag', LIMITS.etag)! };
    case undefined:
      throw new FederationRefused('notification-unsupported', type);
  }
}

const protocolWords = (inner: WireFields): string[] =>
  inner.object('protocol').object('webdav').words('permissions');

/** Our own instances also send the exact bits, because no word distinguishes delete from write. */
const exactBits = (inner: WireFields): number | undefined =>
  inner.has('permissions') ? bits(inner, 'permissions') : undefined;

function changed(
  kind: 'share-permissions' | 'reshare-permissions',
  base: NoticeBase,
  words: readonly string[],
  said?: number,
): PartnerNotice {
  const permissions = said ?? permissionsOf(words, 'unknown');
  if (permissions === 0) throw new FederationRefused('fields-missing', 'permission');
  return { kind, ...base, permissions, exact: said !== undefined };
}

function binding(providerId: string, inner: WireFields): NoticeBase {
  const sharedSecret = inner.secret('sharedSecret') ?? null;
  const text = inner.text('grantee', LIMITS.address);
  return {
    dialect: 'ocm',
    providerId,
    sharedSecret,
    grantee: text === undefined ? null : cloudId(text, 'grantee'),
  };
}

/**
 * Reads the form of `POST /ocs/v{1,2}.php/cloud/shares/{id}/{action}`.
 * @throws FederationRefused
 */
export function parseLegacyNotice(action: LegacyAction, providerId: string, form: unknown): PartnerNotice {
  const fields = new WireFields({ ...(form as object), providerId });
  const id = fields.text('providerId', LIMITS.id);
  if (id === undefined) throw new FederationRefused('share-unknown');
  if (action === 'reshare') fields.require(['token', 'shareWith', 'permission', 'remoteId']);
  if (action === 'permissions') fields.require(['token', 'permissions']);
  const base: NoticeBase = {
    dialect: 'legacy',
    providerId: id,
    sharedSecret: fields.secret('token') ?? null,
    grantee: null,
  };
  const kind = eventOfLegacy(action);
  switch (kind) {
    case 'share-accepted':
    case 'share-declined':
    case 'share-unshared':
    case 'reshare-undone':
      return { kind, ...base };
    case 'reshare-permissions':
      return { kind, ...base, permissions: bits(fields, 'permissions'), exact: true };
    case 'reshare-requested':
      return {
        kind,
        ...base,
        shareWith: sharee(fields),
        requesterShareId: fields.text('remoteId', LIMITS.id)!,
        permissions: bits(fields, 'permission'),
      };
  }
}

function bits(fields: WireFields, name: string): number {
  const value = fields.bits(name);
  if (value === undefined) throw new FederationRefused('field-invalid', name);
  return value;
}

const sharee = (fields: WireFields): FederatedCloudId =>
  cloudId(fields.text('shareWith', LIMITS.address) ?? '', 'shareWith');

function cloudId(text: string, field: string): FederatedCloudId {
  try {
    return parseCloudId(text);
  } catch (error) {
    if (!(error instanceof CloudIdInvalid)) throw error;
    throw new FederationRefused('field-invalid', field);
  }
}

/**
 * An unsigned message has to contain its binding to the share: the secret, or the recipient as in oCIS.
 * @throws FederationRefused fields-missing
 */
export function assertBindsUnsigned({ dialect, sharedSecret, grantee }: PartnerNotice): void {
  if (dialect === 'ocm' && !sharedSecret && grantee === null)
    throw new FederationRefused('fields-missing', 'sharedSecret');
}
