import { parseHostAndPath } from './host-and-path';

describe('a host', () => {
  it.each(['a.example\\b.example', 'a.example%2eorg', 'a.example b', '\\\\a.example'])(
    'that would need interpretation is refused: %s',
    (text) => expect(parseHostAndPath(text, null)).toBeUndefined(),
  );

  it('is lowercased, and its usual port is left out', () => {
    expect(parseHostAndPath('A.Example.:443', null)).toEqual({ host: 'a.example', port: null, path: '' });
  });
});
