import fc from 'fast-check';
import { permissionsOf, wordsOf } from './permission-words';

describe('permission words', () => {
  it.each([
    [1, ['read']],
    [3, ['read', 'write']],
    [5, ['read', 'write']],
    [17, ['read', 'share']],
    [31, ['read', 'write', 'share']],
    [0, []],
  ])('%d is %j', (bits, words) => expect(wordsOf(bits)).toEqual(words));

  it('give less than or the same as what they were made of, but for update and create', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 31 }), (bits) => {
        expect(permissionsOf(wordsOf(bits), 'folder') & ~(bits | 6)).toBe(0);
      }),
    );
  });
});
