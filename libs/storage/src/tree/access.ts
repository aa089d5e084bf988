import { CREATE, DELETE, READ, SHARE, UPDATE } from '#sharing';

/** Bits of share permissions, by what they allow. */
export const Access = { read: READ, update: UPDATE, create: CREATE, delete: DELETE, share: SHARE } as const;

export function allows(permissions: number, access: number): boolean {
  return (permissions & access) === access;
}
