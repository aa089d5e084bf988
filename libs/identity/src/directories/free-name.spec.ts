import { candidates, groupIdFrom, userIdFrom } from './free-name';

describe('names of sources as ids', () => {
  it.each([
    ['alice', 'alice'],
    ['alice@example.org', 'alice@example.org'],
    ['José Müller', 'Jose Muller'],
    ['Αλίκη', ''],
    ['ab', 'user-ab'],
    ['a/b\u0000c', 'a-b-c'],
    ['...', ''],
    ['x'.repeat(200), 'x'.repeat(64)],
  ])('makes of %j the user id %j', (name, uid) => {
    expect(userIdFrom(name)).toBe(uid);
  });

  it('makes group ids of one line', () => {
    expect(groupIdFrom(' staff\n of\u0000 all ')).toBe('staff  of  all');
    expect(groupIdFrom('g'.repeat(100))).toHaveLength(64);
    expect([' ', '.', ' ..\n'].map(groupIdFrom)).toEqual(['', '', '']);
  });

  it('adds numbers within the length of an id', () => {
    const [first, second] = candidates('x'.repeat(64));
    expect(first).toHaveLength(64);
    expect(second).toBe(`${'x'.repeat(62)}-2`);
  });
});
