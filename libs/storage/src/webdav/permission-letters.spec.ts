import fc from 'fast-check';
import { decideAccess, PLAIN_SESSION } from '#sharing';
import { permissionLetters, sharePermissions } from './permission-letters';

const node = (kind: 'file' | 'folder', permissions: number, mount: 'own' | 'root' | 'below') => ({
  row: { kind },
  access: decideAccess([[{ permissions, attributes: null }]], PLAIN_SESSION),
  isReceived: mount !== 'own',
  isMountRoot: mount === 'root',
});

const VISITOR = { isVisitor: true, mayShare: false };
const SHARER = { isVisitor: false, mayShare: true };

it.each([
  ['file', 31, 'own', 'RDNVW', 19],
  ['folder', 31, 'own', 'RDNVCK', 31],
  ['folder', 31, 'root', 'SRDNVCK', 31],
  ['folder', 31, 'below', 'SRDNVCK', 31],
  ['file', 31, 'below', 'SRDNVW', 19],
  ['folder', 1, 'root', 'SDNV', 1],
  ['folder', 1, 'below', 'S', 1],
  ['file', 17, 'root', 'SRDNV', 17],
  ['file', 3, 'below', 'SNVW', 3],
  ['folder', 4, 'root', 'SDNVCK', 4],
  ['folder', 9, 'below', 'SD', 9],
] as const)(
  'a %s with %i, %s, is %s and shareable with %i',
  (kind, permissions, mount, letters, shareable) => {
    expect(permissionLetters(node(kind, permissions, mount), SHARER)).toBe(letters);
    expect(sharePermissions(node(kind, permissions, mount), SHARER)).toBe(shareable);
  },
);

it('never grow when a permission is removed, and keep their order', () => {
  const kinds = fc.constantFrom('file' as const, 'folder' as const);
  const mounts = fc.constantFrom('own' as const, 'root' as const, 'below' as const);
  const bits = fc.integer({ min: 0, max: 31 });
  fc.assert(
    fc.property(kinds, mounts, bits, bits, (kind, mount, some, more) => {
      const fewer = permissionLetters(node(kind, some, mount), SHARER);
      const all = permissionLetters(node(kind, some | more, mount), SHARER);
      expect([...fewer].every((letter) => letter === 'G' || all.includes(letter))).toBe(true);
      expect(all).toMatch(/^(?:G|S?R?D?(?:NV)?(?:W|CK)?)$/);
    }),
  );
});

it.each([
  ['folder', 1, 'G'],
  ['file', 1, 'G'],
  ['file', 3, 'NVW'],
  ['file', 4, ''],
] as const)('a visitor of a %s with %i sees "%s"', (kind, permissions, letters) => {
  expect(permissionLetters(node(kind, permissions, 'own'), VISITOR)).toBe(letters);
});
