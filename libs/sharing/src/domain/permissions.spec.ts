import fc from 'fast-check';
import { ALL, clampToKind, exceeds, isLinkPermission, linkPermissionsAtCreation } from './permissions';

const every = fc.integer({ min: 0, max: ALL });

describe('permissions', () => {
  it.each([
    [31, 'folder', 31],
    [31, 'file', 19],
    [12, 'file', 0],
    [1, 'file', 1],
  ] as const)('%i on a %s are %i', (asked, kind, held) => {
    expect(clampToKind(asked, kind)).toBe(held);
  });

  it('never grow by the kind of a node', () => {
    fc.assert(
      fc.property(
        every,
        fc.constantFrom('file' as const, 'folder' as const),
        (asked, kind) => !exceeds(clampToKind(asked, kind), asked),
      ),
    );
  });

  it('exceed others by any additional bit', () => {
    expect(exceeds(3, 1)).toBe(true);
    expect(exceeds(1, 3)).toBe(false);
    fc.assert(
      fc.property(
        every,
        every,
        (asked, allowed) => exceeds(asked, allowed) === ((asked | allowed) !== allowed),
      ),
    );
  });
});

describe('permissions of a public link', () => {
  it.each([1, 3, 4, 5, 7, 15])('may become %i', (permissions) => {
    expect(isLinkPermission(permissions)).toBe(true);
  });

  it('cannot have other values', () => {
    const allowed = Array.from({ length: 64 }, (_, permissions) => permissions).filter(isLinkPermission);
    expect(allowed).toEqual([1, 3, 4, 5, 7, 15]);
  });

  it.each([
    [undefined, false, 1],
    [undefined, true, 15],
    [1, true, 15],
    [4, false, 4],
    [15, false, 15],
    [7, false, 1],
    [2, false, 1],
    [31, false, 1],
    [-1, false, 1],
  ])('for %j with public upload %s begin as %i', (asked, upload, permissions) => {
    expect(linkPermissionsAtCreation(asked, upload)).toBe(permissions);
  });
});
