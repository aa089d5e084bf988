import fc from 'fast-check';
import { decideAccess, PLAIN_SESSION } from '#sharing';
import { permissionLetters, sharePermissions } from './permission-letters';

const node = (kind: 'file' | 'folder', permissions: number, mount: 'own' | 'root' | 'below') => ({
  row: { kind },
  access: decideAccess([[{ permissions, attributes: null }]], PLAIN_SESSION),
  isReceived: mount !== 'own',
  isMountRoot: mount === 'root',
});

const PARTNER = { isVisitor: true, isPartner: true, mayShare: true };
const VISITOR = { isVisitor: true, isPartner: false, mayShare: true };
const SHARER = { isVisitor: false, isPartner: false, mayShare: true };

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
      expect([...fewer].every((letter) => all.includes(letter))).toBe(true);
      expect(all).toMatch(/^S?R?D?(?:NV)?(?:W|CK)?$/);
    }),
  );
});

it.each([
  ['folder', 1, 'G'],
  ['file', 1, 'G'],
  ['file', 3, 'NVW'],
  ['file', 4, ''],
  ['folder', 17, 'R'],
] as const)(
  'a partner sees of a %s with %i "%s", and a visitor of a link never G',
  (kind, permissions, letters) => {
    const shared = node(kind, permissions, 'own');
    expect(permissionLetters(shared, PARTNER)).toBe(letters);
    expect(permissionLetters(shared, VISITOR)).toBe(letters.replace('G', ''));
  },
);
