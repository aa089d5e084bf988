import type { DirectoryGroup } from './directory-content';
import { peopleOfGroups } from './people-of-groups';

const group = (subject: string, ...members: string[]): DirectoryGroup => ({
  ...{ subject, name: subject, place: `cn=${subject}`, members },
});
const UIDS = new Map([
  ['uid=ann', 'ann'],
  ['uid=ben', 'ben'],
  ['uid=eve', 'eve'],
]);

describe('people of groups', () => {
  it('include those of nested groups', () => {
    const groups = [
      group('all', 'cn=staff', 'uid=eve'),
      group('staff', 'uid=ann', 'cn=crew'),
      group('crew', 'uid=ben'),
    ];
    expect(Object.fromEntries(peopleOfGroups(groups, UIDS))).toEqual({
      all: ['eve', 'ann', 'ben'],
      staff: ['ann', 'ben'],
      crew: ['ben'],
    });
  });

  it('are found if groups contain each other, or themselves', () => {
    const groups = [group('one', 'cn=two', 'uid=ann'), group('two', 'cn=one', 'cn=two', 'uid=ben')];
    expect(Object.fromEntries(peopleOfGroups(groups, UIDS))).toEqual({
      one: ['ann', 'ben'],
      two: ['ben', 'ann'],
    });
  });

  it('leave out members who have no account', () => {
    expect(peopleOfGroups([group('one', 'uid=none', 'cn=gone', 'uid=ann')], UIDS).get('one')).toEqual([
      'ann',
    ]);
  });
});
