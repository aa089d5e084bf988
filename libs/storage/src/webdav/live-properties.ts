import { httpDate } from './http-date';
import { hrefOf } from './dav-path';
import { permissionLetters, sharePermissions, type Viewer } from './permission-letters';
import type { LockRow } from '#persistence';
import { LOCK_PROPERTIES, lockValue, type LockView } from './lock-properties';
import {
  DAV,
  NEXTCLOUD,
  OCS,
  OWNCLOUD,
  propertyElement,
  propertyKey,
  type PropertyKey,
} from './property-name';
import { escapeXml } from './xml-text';
import type { VisibleNode } from '../tree/visible-node';

/** Properties of a public link on its root. Source: ocs-facts 12. */
export interface LinkProperties {
  readonly itemType: 'file' | 'folder';
  readonly permissions: number;
  /** `YYYY-MM-DD`, the last day; null for none. */
  readonly expiresOn: string | null;
  readonly createdAt: Date;
  readonly ownerUid: string;
}

/** Source of a node's property values. Properties that were not requested need not be read. */
export interface PropertySource {
  readonly node: VisibleNode;
  readonly viewer: Viewer;
  /** The locks that cover it. */
  readonly locks: readonly LockRow[];
  readonly lockView: LockView;
  /** Set on the root of a link. */
  readonly link: LinkProperties | undefined;
  /** Percent-encoded, as in hrefs. */
  readonly base: string;
  readonly publicUrl: string;
  readonly instanceId: string;
  readonly isFavorite: boolean;
  readonly shareTypes: readonly number[];
  readonly usage: { readonly quotaBytes: number | null; readonly usedBytes: number } | undefined;
}

/** The XML inside a property's element; undefined if the node has no such property. */
type Value = (source: PropertySource) => string | undefined;

/** Value that clients of deployed servers read as "no limit". */
const UNLIMITED = -3;

const isFolder = ({ node }: PropertySource): boolean => node.row.kind === 'folder';
const ofFile =
  (value: Value): Value =>
  (source) =>
    isFolder(source) ? undefined : value(source);
const ofFolder =
  (value: Value): Value =>
  (source) =>
    isFolder(source) ? value(source) : undefined;

const dav: Record<string, Value> = {
  getlastmodified: ({ node }) => httpDate(node.row.mtime),
  getcontentlength: ofFile(({ node }) => String(node.row.size)),
  resourcetype: (source) => (isFolder(source) ? '<d:collection/>' : ''),
  'quota-used-bytes': ofFolder(({ usage }) => usage && String(usage.usedBytes)),
  'quota-available-bytes': ofFolder(({ usage }) => usage && String(availableBytes(usage))),
  getetag: ({ node }) => `&quot;${node.etag}&quot;`,
  getcontenttype: ofFile(({ node }) => escapeXml(node.row.mimetype)),
  displayname: ({ node }) => escapeXml(node.path.slice(node.path.lastIndexOf('/') + 1)),
};

const owncloud: Record<string, Value> = {
  fileid: ({ node }) => String(node.row.id),
  id: ({ node, instanceId }) => escapeXml(fileIdOf(node.row.id, instanceId)),
  permissions: ({ node, viewer }) => permissionLetters(node, viewer),
  size: ({ node }) => String(node.row.size),
  'owner-id': ({ node }) => escapeXml(node.row.ownerUid),
  'owner-display-name': ({ node }) => escapeXml(node.ownerDisplayName),
  'share-types': ({ shareTypes }) =>
    shareTypes.map((type) => propertyElement(propertyKey(OWNCLOUD, 'share-type'), String(type))).join(''),
  favorite: ({ isFavorite }) => (isFavorite ? '1' : '0'),
  tags: () => '',
  // By a checksum, a reader could guess a content that they may not download.
  checksums: ofFile(({ node }) =>
    node.row.checksum === null || !node.access.may('download')
      ? undefined
      : propertyElement(propertyKey(OWNCLOUD, 'checksum'), escapeXml(node.row.checksum)),
  ),
  privatelink: ({ node, publicUrl }) => escapeXml(`${publicUrl}/f/${node.row.id}`),
  downloadURL: ofFile(({ node, publicUrl, base }) =>
    node.access.may('download') ? escapeXml(publicUrl + hrefOf(base, node.path, false)) : undefined,
  ),
  'has-preview': ofFile(({ node }) => String(mayHavePreview(node))),
  'data-fingerprint': () => '',
  'comments-unread': () => '0',
};

const publicLink: Record<string, Value> = {
  'public-link-item-type': ({ link }) => link?.itemType,
  'public-link-permission': ({ link }) => link && String(link.permissions),
  'public-link-expiration': ({ link }) =>
    link?.expiresOn == null ? undefined : new Date(link.expiresOn).toUTCString(),
  'public-link-share-datetime': ({ link }) => link?.createdAt.toUTCString(),
  'public-link-share-owner': ({ link }) => link && escapeXml(link.ownerUid),
};

const table = (namespace: string, values: Record<string, Value>): [PropertyKey, Value][] =>
  Object.entries(values).map(([name, value]) => [propertyKey(namespace, name), value]);

const LIVE: ReadonlyMap<PropertyKey, Value> = new Map([
  ...table(DAV, dav),
  ...table(OWNCLOUD, owncloud),
  ...table(OWNCLOUD, publicLink),
  // Unlike ownCloud, Nextcloud has this property for folders as well.
  ...table(NEXTCLOUD, { 'has-preview': ({ node }) => String(mayHavePreview(node)) }),
  ...LOCK_PROPERTIES.map((key): [PropertyKey, Value] => [
    key,
    ({ locks, lockView, node }) => lockValue(key, locks, lockView, node),
  ]),
  ...table(OCS, {
    // A visitor's server uses the value as the visitor's permissions. Without this bit it would not let them delete files in a folder.
    'share-permissions': ({ node, viewer }) =>
      String(viewer.isVisitor ? node.access.permissions : sharePermissions(node, viewer)),
  }),
]);

/** The properties for a PROPFIND without a list of names; all others are sent only on request. */
export const DEFAULT_PROPERTIES: readonly PropertyKey[] = [
  'getlastmodified',
  'getcontentlength',
  'resourcetype',
  'quota-used-bytes',
  'quota-available-bytes',
  'getetag',
  'getcontenttype',
].map((name) => propertyKey(DAV, name));

export const LIVE_PROPERTIES: readonly PropertyKey[] = [...LIVE.keys()];

export const FAVORITE = propertyKey(OWNCLOUD, 'favorite');
export const SHARE_TYPES_PROPERTY = propertyKey(OWNCLOUD, 'share-types');
export const QUOTA_PROPERTIES: readonly PropertyKey[] = [
  propertyKey(DAV, 'quota-used-bytes'),
  propertyKey(DAV, 'quota-available-bytes'),
];

/** Whether the server itself defines the property, so that no client can store a dead property with its name. */
export function isLive(key: PropertyKey): boolean {
  return LIVE.has(key) || key.startsWith(`{${DAV}}`);
}

const NO_VALUE: Value = () => undefined;

/** How to get the XML inside the property's element, which is undefined if the node has no such live property. */
export const liveValue = (key: PropertyKey): Value => LIVE.get(key) ?? NO_VALUE;

/** Id such as `00000042ocabcdef`: unique among instances, in the form that clients store. */
export function fileIdOf(nodeId: number, instanceId: string): string {
  return String(nodeId).padStart(8, '0') + instanceId;
}

/** Whether a client may try to get a preview; files that it may not download have none. */
const mayHavePreview = ({ row, access }: VisibleNode): boolean =>
  row.kind === 'file' &&
  row.size > 0 &&
  access.may('download') &&
  /^(?:text\/|image\/(?:jpeg|png|gif|webp)$)/.test(row.mimetype);

function availableBytes(usage: NonNullable<PropertySource['usage']>): number {
  return usage.quotaBytes === null ? UNLIMITED : Math.max(0, usage.quotaBytes - usage.usedBytes);
}
