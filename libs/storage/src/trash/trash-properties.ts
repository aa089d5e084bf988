import { httpDate } from '../webdav/http-date';
import { ChosenProperties, type PropertyNames } from '../webdav/chosen-properties';
import type { MultistatusEntry } from '../webdav/multistatus';
import type { PropfindRequest } from '../webdav/propfind-request';
import { DAV, NEXTCLOUD, OWNCLOUD, propertyKey, type PropertyKey } from '../webdav/property-name';
import { escapeXml } from '../webdav/xml-text';
import type { TrashEntry } from './trash-entry';

/** Read and delete, in Nextcloud's letters. */
const PERMISSIONS = 'GD';

/** The XML inside a property's element; undefined if the entry has no such property. */
type Value = (entry: TrashEntry, fileId: (nodeId: number) => string) => string | undefined;

const ofFile =
  (value: Value): Value =>
  (entry, fileId) =>
    entry.row.kind === 'file' ? value(entry, fileId) : undefined;
const name: Value = ({ row }) => escapeXml(row.name);
const location: Value = ({ originalPath }) => escapeXml(originalPath);
const seconds: Value = ({ deletedAt }) => String(deletedAt.getTime() / 1000);

const dav: Record<string, Value> = {
  getlastmodified: ({ row }) => httpDate(row.mtime),
  getcontentlength: ofFile(({ row }) => String(row.size)),
  resourcetype: ({ row }) => (row.kind === 'folder' ? '<d:collection/>' : ''),
  getetag: ({ row }) => `&quot;${row.etag}&quot;`,
  getcontenttype: ofFile(({ row }) => escapeXml(row.mimetype)),
  displayname: name,
};

const owncloud: Record<string, Value> = {
  id: ({ row }, fileId) => escapeXml(fileId(row.id)),
  fileid: ({ row }) => String(row.id),
  size: ({ row }) => String(row.size),
  permissions: () => PERMISSIONS,
  'trashbin-original-filename': name,
  'trashbin-original-location': location,
  'trashbin-delete-timestamp': seconds,
  'trashbin-delete-datetime': ({ deletedAt }) => deletedAt.toUTCString(),
};

const nextcloud: Record<string, Value> = {
  'trashbin-filename': name,
  'trashbin-original-location': location,
  'trashbin-deletion-time': seconds,
  'trashbin-title': location,
  'trashbin-deleted-by-id': ({ deletedBy }) =>
    deletedBy.kind === 'user' && deletedBy.name !== null ? escapeXml(deletedBy.name) : undefined,
  'trashbin-deleted-by-display-name': ({ deletedBy: { displayName, name: by, kind } }) =>
    escapeXml(displayName ?? by ?? kind),
};

const table = (namespace: string, values: Record<string, Value>): [PropertyKey, Value][] =>
  Object.entries(values).map(([local, value]) => [propertyKey(namespace, local), value]);

const LIVE: ReadonlyMap<PropertyKey, Value> = new Map([
  ...table(DAV, dav),
  ...table(OWNCLOUD, owncloud),
  ...table(NEXTCLOUD, nextcloud),
]);

const NAMES: PropertyNames = {
  all: [...LIVE.keys()],
  usual: Object.keys(dav)
    .filter((local) => local !== 'displayname')
    .map((local) => propertyKey(DAV, local)),
};

const COLLECTION: ReadonlyMap<PropertyKey, string> = new Map([
  [propertyKey(DAV, 'resourcetype'), '<d:collection/>'],
]);

/** A node of the trash bin, or one of its collections, with its percent-encoded address. */
type Shown =
  | { readonly href: string; readonly entry: TrashEntry }
  | { readonly href: string; readonly entry: undefined };

/** Answers a PROPFIND for entries of a trash bin, one entry at a time. */
export function* trashEntries(
  shown: Iterable<Shown>,
  request: PropfindRequest,
  fileId: (nodeId: number) => string,
): Generator<MultistatusEntry> {
  const chosen = new ChosenProperties<Shown['entry']>(request, NAMES, (key) => {
    const [value, ofCollection] = [LIVE.get(key), COLLECTION.get(key)];
    return (entry) => (entry ? value?.(entry, fileId) : ofCollection);
  });
  for (const { href, entry } of shown) yield { href, propstats: chosen.of(entry) };
}
