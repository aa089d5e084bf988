import { httpDate } from '../webdav/http-date';
import type { CurrentAuthor, VersionRow } from '#persistence';
import type { VisibleNode } from '../tree/visible-node';
import { ChosenProperties, valueIn, type PropertyNames } from '../webdav/chosen-properties';
import type { MultistatusEntry } from '../webdav/multistatus';
import type { PropfindRequest } from '../webdav/propfind-request';
import { DAV, NEXTCLOUD, OWNCLOUD, propertyKey, type PropertyKey } from '../webdav/property-name';
import { escapeXml } from '../webdav/xml-text';

/** A resource in a file's versions, with its percent-encoded address. */
export type ShownVersion = { readonly href: string } & (
  | { readonly kind: 'file'; readonly node: VisibleNode }
  | { readonly kind: 'versions'; readonly author: CurrentAuthor | undefined }
  | { readonly kind: 'version'; readonly node: VisibleNode; readonly version: VersionRow }
);

type Values = ReadonlyMap<PropertyKey, string>;

/** Property with the label of a version. */
export const VERSION_LABEL = propertyKey(NEXTCLOUD, 'version-label');

const dav = (name: string): PropertyKey => propertyKey(DAV, name);
const owncloud = (name: string): PropertyKey => propertyKey(OWNCLOUD, name);

const NAMES: Readonly<Record<ShownVersion['kind'], PropertyNames>> = {
  file: { all: [dav('resourcetype'), owncloud('meta-path-for-user')], usual: [dav('resourcetype')] },
  versions: { all: [dav('resourcetype'), ...authorKeys()], usual: [dav('resourcetype')] },
  version: {
    all: [...davKeys(), ...authorKeys(), propertyKey(NEXTCLOUD, 'version-author'), VERSION_LABEL],
    usual: davKeys(),
  },
};

/** Answers a PROPFIND about the versions of a file. */
export function* versionEntries(
  shown: Iterable<ShownVersion>,
  request: PropfindRequest,
): Generator<MultistatusEntry> {
  for (const each of shown) {
    const values = valuesOf(each);
    const chosen = new ChosenProperties(request, NAMES[each.kind], valueIn);
    yield { href: each.href, propstats: chosen.of(values) };
  }
}

function valuesOf(shown: ShownVersion): Values {
  if (shown.kind === 'version') return versionValues(shown.version, shown.node);
  const collection: [PropertyKey, string] = [dav('resourcetype'), '<d:collection/>'];
  if (shown.kind === 'file')
    return new Map([collection, [owncloud('meta-path-for-user'), escapeXml(shown.node.path || '/')]]);
  return new Map([collection, ...authorValues(shown.author, null)]);
}

function versionValues(version: VersionRow, { row }: VisibleNode): Values {
  const values: [PropertyKey, string][] = [
    [dav('getlastmodified'), httpDate(version.mtime)],
    [dav('getcontentlength'), String(version.size)],
    [dav('resourcetype'), ''],
    [dav('getetag'), `&quot;${version.etag}&quot;`],
    [dav('getcontenttype'), escapeXml(row.mimetype)],
    ...authorValues(version, version.label),
    [VERSION_LABEL, escapeXml(version.label ?? '')],
  ];
  if (version.authorKind === 'user')
    values.push([propertyKey(NEXTCLOUD, 'version-author'), escapeXml(version.author ?? '')]);
  return new Map(values);
}

/** Clients show the name, otherwise the id. Partners have only a name, and visitors of links have none. */
function authorValues(by: CurrentAuthor | undefined, label: string | null): [PropertyKey, string][] {
  const { authorKind = null, author = null, authorDisplayName = null } = by ?? {};
  const [id, name, tag] = authorKeys();
  return [
    [id, escapeXml((authorKind === 'user' && author) || '')],
    [name, escapeXml(authorDisplayName ?? author ?? '')],
    [tag, escapeXml(label ?? '')],
  ];
}

function authorKeys(): [PropertyKey, PropertyKey, PropertyKey] {
  return [
    owncloud('meta-version-edited-by'),
    owncloud('meta-version-edited-by-name'),
    owncloud('meta-version-tag'),
  ];
}

function davKeys(): PropertyKey[] {
  return ['getlastmodified', 'getcontentlength', 'resourcetype', 'getetag', 'getcontenttype'].map(dav);
}
