import {
  ChosenProperties,
  DAV,
  propertyKey,
  type MultistatusEntry,
  type PropfindRequest,
  type PropertyKey,
} from '#storage';

/** A resource below `remote.php/dav/uploads`. */
export interface ListedUpload {
  /** Percent-encoded, without a trailing slash. */
  readonly address: string;
  /** Size of a part in bytes; undefined for an upload, which is a collection. */
  readonly size: number | undefined;
  readonly changedAt: Date;
}

type Properties = Readonly<Partial<Record<PropertyKey, string>>>;

const key = (name: string): PropertyKey => propertyKey(DAV, name);

function propertiesOf({ size, changedAt }: ListedUpload): Properties {
  const etag = `&quot;${changedAt.getTime().toString(36)}-${size ?? 0}&quot;`;
  const common = { [key('getlastmodified')]: changedAt.toUTCString(), [key('getetag')]: etag };
  return size === undefined
    ? { ...common, [key('resourcetype')]: '<d:collection/>' }
    : { ...common, [key('resourcetype')]: '', [key('getcontentlength')]: String(size) };
}

/** A resource in the form for PROPFIND. */
export function describeUpload(listed: ListedUpload, wanted: PropfindRequest): MultistatusEntry {
  const known = propertiesOf(listed);
  const href = listed.size === undefined ? `${listed.address}/` : listed.address;
  const names = Object.keys(known) as PropertyKey[];
  const chosen = new ChosenProperties<Properties>(
    wanted,
    { all: names, usual: names },
    (name) => (properties) => properties[name],
  );
  return { href, propstats: chosen.of(known) };
}
