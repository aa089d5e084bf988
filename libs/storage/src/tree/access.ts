import { CREATE, DELETE, READ, SHARE, UPDATE } from '#sharing';

/** Bits of share permissions, by what they allow. */
export const Access = { read: READ, update: UPDATE, create: CREATE, delete: DELETE, share: SHARE } as const;

/** What an owner may do with his own nodes. */
export const FULL_ACCESS = READ | UPDATE | CREATE | DELETE | SHARE;
/** Files are neither containers nor deleted through a share of themselves: create and delete never apply. */
export const FILE_ACCESS_MASK = READ | UPDATE | SHARE;

export function allows(permissions: number, access: number): boolean {
  return (permissions & access) === access;
}
