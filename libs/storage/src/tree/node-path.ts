import { faultOfName, readPath, type NodePath } from '#sharing';
import { TreeFailure } from './tree-failure';

export {
  ancestorsOf,
  childOf,
  isAtOrBelow,
  MAX_PATH_BYTES,
  nameOf,
  parentOf,
  ROOT,
  type NodePath,
} from '#sharing';

/** Reads one name. @throws TreeFailure `name-refused` */
export function parseName(name: string): string {
  const fault = faultOfName(name);
  if (fault) throw new TreeFailure(fault.code, fault.message);
  return name;
}

/** Makes a path of decoded names, the topmost first. @throws TreeFailure `name-refused`, or `path-too-long` over 4000 bytes */
export function pathOf(names: readonly string[]): NodePath {
  const path = readPath(names);
  if (typeof path !== 'string') throw new TreeFailure(path.code, path.message);
  return path;
}

/**
 * Reads a path that a person wrote or a table stored: `/a/b`, `a/b/`, `//a/b`.
 * @throws TreeFailure as `pathOf`
 */
export function parsePath(text: string): NodePath {
  return pathOf(text.split('/').filter((name) => name !== ''));
}
