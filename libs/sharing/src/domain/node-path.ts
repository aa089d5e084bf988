declare const nodePath: unique symbol;

/** A path of somebody's tree: `''` is the root, every other is `/folder/name`, without a trailing slash. */
export type NodePath = string & { readonly [nodePath]: true };

export const ROOT = '' as NodePath;

/** Limits of the columns that hold names and paths. */
const MAX_NAME_BYTES = 255;
export const MAX_PATH_BYTES = 4000;
// oxlint-disable-next-line no-control-regex -- names must not have them
const FORBIDDEN_IN_NAMES = /[/\u0000-\u001f\u007f]/;

/** Reason why a name or a path is not valid in a tree; `message` is safe to show. */
export interface PathFault {
  readonly code: 'name-refused' | 'path-too-long';
  readonly message: string;
}

const refused = (message: string): PathFault => ({ code: 'name-refused', message });

/**
 * Checks one name. Refused are: an empty name, `.`, `..`, a slash, a control character, half of a surrogate pair, and more than 255
 * bytes of UTF-8. Names are kept as they were sent, so two that look alike can differ.
 */
export function faultOfName(name: string): PathFault | undefined {
  if (name === '' || name === '.' || name === '..') return refused('File name is a reserved word');
  if (FORBIDDEN_IN_NAMES.test(name) || !name.isWellFormed())
    return refused('File name contains at least one invalid character');
  return Buffer.byteLength(name) > MAX_NAME_BYTES ? refused('File name is too long') : undefined;
}

/** Makes a path of decoded names, the topmost first. No name can lead out of the root. */
export function readPath(names: readonly string[]): NodePath | PathFault {
  for (const name of names) {
    const fault = faultOfName(name);
    if (fault) return fault;
  }
  const path = names.map((name) => `/${name}`).join('');
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return { code: 'path-too-long', message: 'Path is too long' };
  return path as NodePath;
}

/** `/a/b` → `b`; `''` of the root. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** `/a/b` → `/a` → `''`. */
export function parentOf(path: NodePath): NodePath {
  return path.slice(0, Math.max(0, path.lastIndexOf('/'))) as NodePath;
}

/** The folders above a path, the root first: `/a/b` → `''`, `/a`. */
export function ancestorsOf(path: NodePath): NodePath[] {
  if (path === ROOT) return [];
  const parent = parentOf(path);
  return [...ancestorsOf(parent), parent];
}

/** Whether `path` is `folder` or lies below it. */
export function isAtOrBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

/** Path of a child; `name` is the name of an existing node. */
export function childOf(folder: string, name: string): NodePath {
  return `${folder}/${name}` as NodePath;
}
