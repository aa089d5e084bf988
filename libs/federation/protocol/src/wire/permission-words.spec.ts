import fc from 'fast-check';
import { leftBy, permissionsOf, wordsOf } from './permission-words';

describe('permission words', () => {
  it.each([
    [1, ['read']],
    [3, ['read', 'write']],
    [5, ['read', 'write']],
    [17, ['read', 'share']],
    [31, ['read', 'write', 'share']],
    [0, []],
  ])('%d is %j', (bits, words) => expect(wordsOf(bits)).toEqual(words));

  it('allow deletion if they allow writing', () => {
    expect(permissionsOf(['read', 'write'], 'folder')).toBe(15);
    expect(permissionsOf(['read', 'write'], 'unknown')).toBe(15);
    expect(permissionsOf(['read', 'write'], 'file')).toBe(3);
  });

  it.each([
    [15, 7, 7],
    [15, 3, 3],
    [1, 31, 1],
    [15, 1, 15],
    [31, 15, 31],
  ])('permissions %d, given by an account with %d, mean %d', (words, held, meant) =>
    expect(leftBy(words, held)).toBe(meant),
  );

  it('never give more than their bits, except that writing includes deleting', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 31 }), (bits) => {
        expect(permissionsOf(wordsOf(bits), 'folder') & ~(bits | 14)).toBe(0);
      }),
    );
  });
});
