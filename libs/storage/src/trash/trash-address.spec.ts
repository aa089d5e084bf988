import { parseTrashAddress } from './trash-address';

const LONGEST = 'n'.repeat(255);
const below = (...names: string[]): unknown =>
  parseTrashAddress(['/remote.php/dav/trashbin/alice/trash', ...names].join('/'));

describe('the names in an address of the trash bin', () => {
  it('may have 255 bytes each, without the second of the deletion', () => {
    const names = [`${LONGEST}.d1795898037`, LONGEST];
    expect(below(...names)).toMatchObject({ uid: 'alice', collection: 'trash', names });
  });

  it.each([
    [`${LONGEST}n.d1795898037`],
    ['a.d1795898037', `${LONGEST}n`],
    ['a.d1795898037', `${LONGEST}.d1`],
  ])('may not be longer', (...names) => {
    expect(() => below(...names)).toThrow('File name is too long');
  });

  it.each(['..d1795898037', '%01.d1795898037', '..'])('may not be forbidden ones: %s', (name) => {
    expect(() => below(name)).toThrow(/^File name/);
  });
});
