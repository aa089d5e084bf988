/** Bits of a share's permissions. */
export const READ = 1;
export const UPDATE = 2;
export const CREATE = 4;
export const DELETE = 8;
export const SHARE = 16;
export const ALL = 31;

export type NodeKind = 'file' | 'folder';

/** Permissions that an update can give a public link. Create honours all of them except 7. */
const LINK_PERMISSIONS = new Set([1, 3, 4, 5, 7, 15]);
const LINK_PERMISSIONS_AT_CREATION = new Set([1, 3, 4, 5, 15]);

/** Removes bits 4 and 8 for a file: nothing can be created in it, and its recipient may not remove it. */
export function clampToKind(permissions: number, kind: NodeKind): number {
  return kind === 'file' ? permissions & ~(CREATE | DELETE) : permissions;
}

export function isLinkPermission(permissions: number): boolean {
  return LINK_PERMISSIONS.has(permissions);
}

/** Permissions of a new link for the requested ones: unusual requests become read-only. Source: ocs-facts 6. */
export function linkPermissionsAtCreation(asked: number | undefined, publicUpload: boolean): number {
  if (publicUpload) return READ | UPDATE | CREATE | DELETE;
  return asked !== undefined && LINK_PERMISSIONS_AT_CREATION.has(asked) ? asked : READ;
}

/** Whether `asked` contains a bit that `allowed` lacks. */
export function exceeds(asked: number, allowed: number): boolean {
  return (asked & ~allowed) !== 0;
}
