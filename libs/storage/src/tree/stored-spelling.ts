import type { Database } from '#persistence';
import { childOf, nameOf, ancestorsOf, parsePath, ROOT, type NodePath } from './node-path';
import { placeOf, type TreeView } from './tree-view';

/** New names are stored in this normal form of Unicode. */
const FORM = 'NFC';

/**
 * `path` with the stored spelling of its names: a name stays if a node has exactly this name, and is composed (NFC)
 * otherwise. So new names are stored composed, while older decomposed names can still be reached, even beside a
 * composed one. Names at a partner are not changed.
 * @throws TreeFailure for a name that is too long when it is composed, and when the view's share has ended
 */
export async function storedSpelling(database: Database, view: TreeView, path: NodePath): Promise<NodePath> {
  if (path.normalize(FORM) === path) return path;
  let stored = ROOT;
  for (const asked of [...ancestorsOf(path).slice(1), path]) {
    const [exact, composed] = [
      childOf(stored, nameOf(asked)),
      childOf(stored, nameOf(asked).normalize(FORM)),
    ];
    stored = exact === composed || (await isKept(database, view, exact)) ? exact : composed;
  }
  return parsePath(stored);
}

async function isKept(database: Database, view: TreeView, path: NodePath): Promise<boolean> {
  const { node, receivedShareId } = await placeOf(database, view, path);
  return node !== null || receivedShareId !== null;
}
