import {
  mountPermissions,
  receivedStateAfter,
  temporaryMountPoints,
  type ReceivedShareEvent,
  type ReceivedShareState,
} from './received-share';

describe('the state of a received share', () => {
  const ends: readonly (readonly [ReceivedShareState, ReceivedShareEvent, ReceivedShareState | undefined])[] =
    [
      ['pending', 'accept', 'accepted'],
      ['pending', 'decline', 'declined'],
      ['pending', 'revoke', 'gone'],
      ['accepted', 'accept', undefined],
      ['accepted', 'decline', 'declined'],
      ['accepted', 'revoke', 'gone'],
      ['quarantined', 'accept', undefined],
      ['quarantined', 'decline', 'declined'],
      ['quarantined', 'revoke', 'gone'],
      ['declined', 'accept', undefined],
      ['declined', 'decline', undefined],
      ['declined', 'revoke', 'gone'],
      ['gone', 'accept', undefined],
      ['gone', 'decline', undefined],
      ['gone', 'revoke', undefined],
    ];

  it.each(ends)('%s, %s: %s', (state, event, next) => {
    expect(receivedStateAfter(state, event)).toBe(next);
  });
});

describe('placeholders of mount points of pending shares', () => {
  it('are the name, with a number if an older one has it', () => {
    const pending = [
      { id: 3, name: 'a.txt' },
      { id: 5, name: 'b.txt' },
      { id: 7, name: 'a.txt' },
      { id: 9, name: 'a.txt' },
    ];
    expect([...temporaryMountPoints(pending)]).toEqual([
      [3, '{{TemporaryMountPointName#/a.txt}}'],
      [5, '{{TemporaryMountPointName#/b.txt}}'],
      [7, '{{TemporaryMountPointName#/a.txt}}-1'],
      [9, '{{TemporaryMountPointName#/a.txt}}-2'],
    ]);
  });
});

describe('permissions of a mounted root', () => {
  it.each([
    [19, 27],
    [1, 9],
    [31, 31],
  ])('%d are shown as %d: it can always be removed', (permissions, shown) => {
    expect(mountPermissions({ permissions })).toBe(shown);
  });
});
