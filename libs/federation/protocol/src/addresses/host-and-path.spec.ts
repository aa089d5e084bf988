import { parseHostAndPath } from './host-and-path';

describe('a host', () => {
  it.each(['a.example\\b.example', 'a.example%2eorg', 'a.example b', '\\\\a.example'])(
    'that has to be interpreted is none: %s',
    (text) => expect(parseHostAndPath(text, null)).toBeUndefined(),
  );

  it('is folded, and its usual port left out', () => {
    expect(parseHostAndPath('A.Example.:443', null)).toEqual({ host: 'a.example', port: null, path: '' });
  });
});
