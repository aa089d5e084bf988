import { coloursOf, initialsOf } from './initials';

describe('a picture made of a name', () => {
  it.each([
    ['alice', 'A'],
    ['Alice van Hansen', 'AV'],
    ['  maría   ñandú ', 'MÑ'],
    ['😀 smile', '😀S'],
    ['', '?'],
  ])('of %j shows %j', (name, letters) => {
    expect(initialsOf(name)).toBe(letters);
  });

  it('has colours of its account', () => {
    expect(coloursOf('alice', false)).toEqual({
      ground: expect.stringMatching(/^#[0-9a-f]{6}$/),
      ink: '#ffffff',
    });
    expect(coloursOf('alice', false)).toEqual(coloursOf('alice', false));
    expect(coloursOf('alice', true)).not.toEqual(coloursOf('alice', false));
    expect(coloursOf('alice', false)).not.toEqual(coloursOf('brian', false));
  });
});
