import type { TrashAddress, TrashEntry } from '#storage';

/**
 * Percent-encoded address of an entry, in the form in which it was asked for; of the asked place itself without `parent`.
 * @param entry undefined for the trash bin and its collections
 * @param parent the folder that was asked for, when `entry` lies in it
 */
export function hrefIn(address: TrashAddress, entry: TrashEntry | undefined, parent?: TrashEntry): string {
  const slash = entry === undefined || entry.row.kind === 'folder' ? '/' : '';
  return [address.base, ...namesOf(address, entry, parent)].join('/') + slash;
}

function namesOf(address: TrashAddress, entry: TrashEntry | undefined, parent?: TrashEntry): string[] {
  if (!entry) return [];
  if (address.form === 'names') return (entry.topAddress + entry.below).split('/').map(encodeURIComponent);
  const asked = address.ids.map(String);
  const isAsked = address.ids.at(-1) === entry.row.id && parent === undefined;
  return isAsked ? asked : [...asked, String(entry.row.id)];
}
