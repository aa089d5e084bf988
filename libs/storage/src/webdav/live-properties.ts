import { hrefOf } from './dav-path';
import { permissionLetters, sharePermissions } from './permission-letters';
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

/** Source of a node's property values; properties that were not requested need not be read. */
export interface PropertySource {
  readonly node: VisibleNode;
  /** Whether the node is shown to anyone who holds a link. */
  readonly isVisitor: boolean;
  /** The locks that hold for it. */
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

/** The XML inside a property's element; undefined where the node has no such property. */
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
  getlastmodified: ({ node }) => node.row.mtime.toUTCString(),
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
  permissions: ({ node, isVisitor }) => permissionLetters(node, isVisitor),
  size: ({ node }) => String(node.row.size),
  'owner-id': ({ node }) => escapeXml(node.row.ownerUid),
  'owner-display-name': ({ node }) => escapeXml(node.ownerDisplayName),
  'share-types': ({ shareTypes }) =>
    shareTypes.map((type) => propertyElement(propertyKey(OWNCLOUD, 'share-type'), String(type))).join(''),
  favorite: ({ isFavorite }) => (isFavorite ? '1' : '0'),
  tags: () => '',
  checksums: ofFile(({ node }) =>
    node.row.checksum === null
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
  // Unlike ownCloud, Nextcloud says so of folders as well.
  ...table(NEXTCLOUD, { 'has-preview': ({ node }) => String(mayHavePreview(node)) }),
  ...LOCK_PROPERTIES.map((key): [PropertyKey, Value] => [
    key,
    ({ locks, lockView, node }) => lockValue(key, locks, lockView, node),
  ]),
  ...table(OCS, {
    // A visitor's server takes the value for the visitor's permissions, and would not let them delete the files of a
    // folder otherwise.
    'share-permissions': ({ node, isVisitor }) =>
      String(isVisitor ? node.access.permissions : sharePermissions(node)),
  }),
]);

/** Those that a PROPFIND without a list of names gets; all others are answered only when named. */
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

/** Whether the server itself knows the property, so that no client can set it as a dead one. */
export function isLive(key: PropertyKey): boolean {
  return LIVE.has(key) || key.startsWith(`{${DAV}}`);
}

/** The XML inside the property's element; undefined when the node has no such live property. */
export function liveValue(key: PropertyKey, source: PropertySource): string | undefined {
  return LIVE.get(key)?.(source);
}

/** `00000042ocabcdef`: unique among instances, as clients keep it. */
export function fileIdOf(nodeId: number, instanceId: string): string {
  return String(nodeId).padStart(8, '0') + instanceId;
}

/** Whether a client may try: without its content, nobody knows what a file is. */
const mayHavePreview = ({ row, access }: VisibleNode): boolean =>
  row.kind === 'file' &&
  row.size > 0 &&
  access.may('download') &&
  /^(?:text\/|image\/(?:jpeg|png|gif|webp)$)/.test(row.mimetype);

function availableBytes(usage: NonNullable<PropertySource['usage']>): number {
  return usage.quotaBytes === null ? UNLIMITED : Math.max(0, usage.quotaBytes - usage.usedBytes);
}
