import type { TrashAddress, TrashEntry } from '#storage';

/** An entry with its address; undefined for the trash bin and its collections. */
export interface Shown {
  readonly href: string;
  readonly entry: TrashEntry | undefined;
}

/** Collections at Nextcloud's address of a trash bin. */
const COLLECTIONS = ['restore', 'trash'];

/** The requested place of a listing; `folder` is undefined for the trash bin and its collections. */
export const shownPlace = (address: TrashAddress, folder: TrashEntry | undefined): Shown => ({
  href: hrefOfPlace(address, folder),
  entry: folder,
});

/**
 * Entries of a listing below the requested place, with addresses in the form of the request.
 * @param entries in any order, including the folders between them and the place
 */
export function shownBelow(address: TrashAddress, entries: readonly TrashEntry[]): Shown[] {
  const parents = new Map(entries.map(({ row }) => [row.id, row.parentId]));
  return entries.map((entry) => {
    const names = address.form === 'names' ? namesOf(entry) : [...address.ids, ...idsTo(entry, parents)];
    return { href: href(address, names, entry), entry };
  });
}

/** The collections of a trash bin at Nextcloud's address, if the whole bin is listed. */
export const shownCollections = (address: TrashAddress): Shown[] =>
  address.form === 'ids' || address.collection !== undefined
    ? []
    : COLLECTIONS.map((name) => ({ href: `${address.base}/${name}/`, entry: undefined }));

const hrefOfPlace = (address: TrashAddress, folder: TrashEntry | undefined): string =>
  href(address, address.form === 'ids' ? address.ids : folder ? namesOf(folder) : [], folder);

const href = (
  address: TrashAddress,
  segments: readonly (string | number)[],
  entry: TrashEntry | undefined,
): string => {
  const slash = entry === undefined || entry.row.kind === 'folder' ? '/' : '';
  return [address.base, ...segments].join('/') + slash;
};

const namesOf = ({ topAddress, below: path }: TrashEntry): string[] =>
  (topAddress + path).split('/').map(encodeURIComponent);

/** Ids of the listed folders above an entry, from the top down, and its own. */
function idsTo({ row }: TrashEntry, parents: ReadonlyMap<number, number | null>): number[] {
  const ids = [row.id];
  for (let id = row.parentId; id !== null && parents.has(id); id = parents.get(id) ?? null) ids.unshift(id);
  return ids;
}
