import { admitNewEntry } from './admission';
import { FOLDER_MIMETYPE } from '#sharing';
import { makeWay } from './make-way';
import { ancestorsOf, childOf, nameOf, ROOT, type NodePath } from './node-path';
import type { Place } from './place';
import { TreeFailure } from './tree-failure';
import type { TreeTransaction } from './tree-transaction';

/** Maximum of new folders per upload, because each costs statements. */
export const MAX_NEW_PARENTS = 32;

/** Fields of every new row of the tree at a place. @throws TreeFailure if no entry can be added there */
export function newEntry(path: NodePath, place: Place, change: TreeTransaction) {
  return {
    ...admitNewEntry(path, place),
    storageId: place.storageId,
    ownerUid: place.ownerUid,
    path: place.storagePath,
    mtime: change.at,
    etag: change.etag,
  };
}

export function newFolder(path: NodePath, place: Place, change: TreeTransaction) {
  const empty = {
    kind: 'folder',
    mimetype: FOLDER_MIMETYPE,
    size: 0,
    blobKey: null,
    checksum: null,
    author: null,
    throughShare: null,
  } as const;
  return { ...newEntry(path, place, change), ...empty };
}

/**
 * Makes the missing folders above `path`. If a file has the name of one, the folder gets a numbered name. An entry that is made in the
 * last of them has to propagate, which also updates these folders.
 * @returns `path` in the folders that were found or made
 * @throws TreeFailure as for a new entry; `parent-missing` for more than 32
 */
export async function makeParents(change: TreeTransaction, path: NodePath): Promise<NodePath> {
  let left = MAX_NEW_PARENTS;
  let folder = ROOT;
  for (const above of ancestorsOf(path).filter((each) => each !== ROOT)) {
    const asked = childOf(folder, nameOf(above));
    const found = await change.place(asked);
    folder = asked;
    if (found.node?.kind === 'folder') continue;
    if (left-- === 0) throw tooManyParents();
    const free = await makeWay(change, asked, found, 'folder');
    await change.writes.insert(newFolder(free.path, free.place, change));
    folder = free.path;
  }
  return childOf(folder, nameOf(path));
}

export const tooManyParents = (): TreeFailure =>
  new TreeFailure('parent-missing', `An upload makes ${MAX_NEW_PARENTS} folders at most`);
