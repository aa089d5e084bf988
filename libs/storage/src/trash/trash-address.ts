import { parseName } from '../tree/node-path';
import { decodeSegment } from '../webdav/dav-path';
import { DavFailure } from '../webdav/dav-failure';
import { noSuchEntry, readTopAddress } from './trash-entry';

/** An address below a user's trash bin, in one of the two forms that clients know. */
export type TrashAddress = {
  readonly uid: string;
  /** Percent-encoded start of the addresses of entries. */
  readonly base: string;
} & (
  | {
      /** ownCloud's: `trash-bin/{user}/{file id}/{file id}`. */
      readonly form: 'ids';
      /** Ids from the deleted node down; none for the trash bin itself. */
      readonly ids: readonly number[];
    }
  | {
      /** Nextcloud's: `trashbin/{user}/trash/{name}.d{seconds}/{name}`. */
      readonly form: 'names';
      /** `restore` is the target for nodes that go back; undefined for the folder around both collections. */
      readonly collection: 'trash' | 'restore' | undefined;
      readonly names: readonly string[];
    }
);

const ID = /^[1-9]\d{0,15}$/;

/**
 * Reads the raw path of a request or a Destination; undefined outside of trash bins.
 * @throws DavFailure `method-not-allowed`, `bad-request` @throws TreeFailure `not-found`, and for invalid names of nodes
 */
export function parseTrashAddress(rawPath: string): TrashAddress | undefined {
  const encoded = rawPath.split('/').filter((segment) => segment !== '');
  const [entry, service, collection, user, ...below] = encoded;
  if (entry !== 'remote.php' || service !== 'dav') return undefined;
  if (collection !== 'trash-bin' && collection !== 'trashbin') return undefined;
  if (user === undefined) throw new DavFailure('method-not-allowed', 'Trash bins are not listed');
  const uid = decodeSegment(user);
  const base = `/${encoded.slice(0, 4).join('/')}`;
  if (collection === 'trash-bin') {
    if (!below.every((segment) => ID.test(segment))) throw noSuchEntry();
    return { uid, base, form: 'ids', ids: below.map(Number) };
  }
  const [part, ...rest] = below;
  if (part !== undefined && part !== 'trash' && part !== 'restore') throw noSuchEntry();
  const names = rest.map(decodeSegment);
  // The second of the deletion, at the end of the first one, does not count to the length of a name.
  names.forEach((name, index) => parseName(index === 0 ? (readTopAddress(name)?.name ?? name) : name));
  return { uid, base: part === undefined ? base : `${base}/${part}`, form: 'names', collection: part, names };
}
