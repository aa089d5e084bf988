import type { NodeRepository } from '#persistence';
import { numberedName, type NodeKind } from '#sharing';
import { childOf, nameOf, parentOf, type NodePath } from './node-path';
import type { Place } from './place';

/** Names that are tried with one read of the folder: few at first, more if one name is uploaded again and again. */
const FIRST_BATCH = 10;
const LARGEST_BATCH = 1000;

/** Folders in which names are looked up. */
interface Folders {
  readonly nodes: Pick<NodeRepository, 'takenNames'>;
  place(path: NodePath): Promise<Place>;
}

/**
 * Path of a new entry that may not replace another: `path` itself, or the first free numbered name.
 * @param kind that of the new entry
 * @param folderId the folder of the entry; a received share that stands at `path` does not know it
 */
export async function makeWay(
  folders: Folders,
  path: NodePath,
  place: Place,
  kind: NodeKind,
  folderId = place.parent?.id,
): Promise<{ readonly path: NodePath; readonly place: Place }> {
  if (!place.node || folderId === undefined) return { path, place };
  let [first, batch] = [2, FIRST_BATCH];
  for (;;) {
    const names = Array.from({ length: batch }, (_, index) =>
      numberedName(nameOf(path), first + index, kind),
    );
    const taken = await folders.nodes.takenNames(folderId, names);
    for (const free of names.filter((name) => !taken.has(name))) {
      const freePath = childOf(parentOf(path), free);
      const freePlace = await folders.place(freePath);
      // There may be a received share, which is no entry of the folder.
      if (!freePlace.node) return { path: freePath, place: freePlace };
    }
    first += batch;
    batch = Math.min(batch * 10, LARGEST_BATCH);
  }
}
