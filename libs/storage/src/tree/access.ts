/** Bits of a share's permissions. */
export const Access = { read: 1, update: 2, create: 4, delete: 8, share: 16 } as const;

/** What an owner may do with his own nodes. */
export const FULL_ACCESS = 31;
/** Files are neither containers nor deleted through a share of themselves: create and delete never apply. */
export const FILE_ACCESS_MASK = Access.read | Access.update | Access.share;

export function allows(permissions: number, access: number): boolean {
  return (permissions & access) === access;
}
