import { TreeFailure } from './tree-failure';

declare const nodePath: unique symbol;

/** A path of somebody's tree: `''` is the root, every other is `/folder/name`, without a trailing slash. */
export type NodePath = string & { readonly [nodePath]: true };

export const ROOT = '' as NodePath;

/** Limits of the columns that hold names and paths. */
const MAX_NAME_BYTES = 255;
export const MAX_PATH_BYTES = 4000;
// eslint-disable-next-line no-control-regex
const FORBIDDEN_IN_NAMES = /[/\u0000-\u001f\u007f]/;

/**
 * Reads one name. Names are kept as sent: neither normalised nor folded, so two that look alike can differ.
 * @throws TreeFailure `name-refused` for an empty name, `.`, `..`, a slash, a control character, half of a
 * surrogate pair, or more than 255 bytes of UTF-8
 */
export function parseName(name: string): string {
  if (name === '' || name === '.' || name === '..')
    throw new TreeFailure('name-refused', 'File name is a reserved word');
  if (FORBIDDEN_IN_NAMES.test(name) || !name.isWellFormed()) {
    throw new TreeFailure('name-refused', 'File name contains at least one invalid character');
  }
  if (Buffer.byteLength(name) > MAX_NAME_BYTES)
    throw new TreeFailure('name-refused', 'File name is too long');
  return name;
}

/**
 * Makes a path of decoded names, the topmost first; none of them can lead out of the root.
 * @throws TreeFailure `name-refused`, or `path-too-long` over 4000 bytes
 */
export function pathOf(names: readonly string[]): NodePath {
  const path = names.map((name) => `/${parseName(name)}`).join('');
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) throw new TreeFailure('path-too-long', 'Path is too long');
  return path as NodePath;
}

/**
 * Reads a path that was written by a person or kept in a table: `/a/b`, `a/b/`, `//a/b`.
 * @throws TreeFailure as `pathOf`
 */
export function parsePath(text: string): NodePath {
  return pathOf(text.split('/').filter((name) => name !== ''));
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

/** A child's path; `name` is a name that a node already has. */
export function childOf(folder: string, name: string): NodePath {
  return `${folder}/${name}` as NodePath;
}
