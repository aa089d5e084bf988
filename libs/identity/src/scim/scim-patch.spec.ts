import { patched } from './scim-patch';
import { PATCH_SCHEMA } from './scim-schemas';

const [BABS, MANDY] = ['2819c223-7f76-453a-919d-413861904646', '902c246b-6245-4190-8e05-00816be7344a'];
const JAMES = '08e1d05d-121c-4561-8b96-473d93df9210';

const group = (...members: string[]): Record<string, unknown> => ({
  displayName: 'Employees',
  members: members.map((value) => ({ value, display: 'x', $ref: `https://example.com/v2/Users/${value}` })),
});
const user = {
  userName: 'bjensen',
  name: { givenName: 'Barbara', familyName: 'Jensen' },
  emails: [
    { value: 'bjensen@example.com', type: 'work', primary: true },
    { value: 'babs@jensen.org', type: 'home' },
  ],
};

const patch = (
  kind: 'User' | 'Group',
  resource: Record<string, unknown>,
  ...Operations: unknown[]
): Record<string, unknown> => patched(kind, resource, { schemas: [PATCH_SCHEMA], Operations });
const membersOf = (resource: Record<string, unknown>): unknown[] =>
  (resource.members as { value: string }[]).map(({ value }) => value);

describe('a patch of a group, as the examples of RFC 7644, section 3.5.2', () => {
  const member = { display: 'Babs Jensen', $ref: `https://example.com/v2/Users/${BABS}`, value: BABS };

  it.each([
    ['add a member', [], { op: 'add', path: 'members', value: [member] }, [BABS]],
    ['add one that is there', [BABS], { op: 'add', path: 'members', value: [member] }, [BABS]],
    ['add without a path', [JAMES], { op: 'add', value: { members: [member] } }, [JAMES, BABS]],
    ['remove one', [BABS, JAMES], { op: 'remove', path: `members[value eq "${BABS}"]` }, [JAMES]],
    ['remove all', [BABS, JAMES], { op: 'remove', path: 'members' }, []],
    [
      'replace all',
      [MANDY],
      { op: 'replace', path: 'members', value: [member, { value: JAMES }] },
      [BABS, JAMES],
    ],
    // The form in which Entra ID removes members.
    ['remove by value', [BABS, JAMES], { op: 'Remove', path: 'members', value: [{ value: BABS }] }, [JAMES]],
  ])('%s', (_name, before, operation, after) => {
    expect(membersOf(patch('Group', group(...before), operation))).toEqual(after);
  });

  it('applies several changes in order', () => {
    const add = { op: 'add', path: 'members', value: [member] };
    const remove = { op: 'remove', path: `members[value eq "${JAMES}"]` };
    expect(membersOf(patch('Group', group(JAMES), remove, add))).toEqual([BABS]);
  });

  it('does not change the given resource', () => {
    const before = group(JAMES);
    patch('Group', before, { op: 'remove', path: 'members' });
    expect(membersOf(before)).toEqual([JAMES]);
  });
});

describe('a patch of a user', () => {
  it.each([
    ['a value', { op: 'replace', path: 'userName', value: 'babs' }, { userName: 'babs' }],
    ['a name in other letters', { op: 'Replace', path: 'USERNAME', value: 'babs' }, { userName: 'babs' }],
    [
      'a part of a complex value',
      { op: 'replace', path: 'name.familyName', value: 'Smith' },
      { name: { givenName: 'Barbara', familyName: 'Smith' } },
    ],
    [
      'an object without a path',
      { op: 'replace', value: { active: false, 'name.givenName': 'Babs' } },
      { active: false, name: { givenName: 'Babs', familyName: 'Jensen' } },
    ],
    [
      'a value that a filter chooses',
      { op: 'replace', path: 'emails[type eq "work"].value', value: 'b@example.com' },
      { emails: [{ ...user.emails[0], value: 'b@example.com' }, user.emails[1]] },
    ],
    ['one that is to go', { op: 'remove', path: 'emails[type eq "home"]' }, { emails: [user.emails[0]] }],
    [
      'an addition that a filter describes',
      { op: 'Add', path: 'emails[type eq "other"].value', value: 'o@example.com' },
      { emails: [...user.emails, { type: 'other', value: 'o@example.com' }] },
    ],
    [
      'members that are not kept here',
      { op: 'add', path: 'phoneNumbers[type eq "work"].value', value: '1' },
      {},
    ],
    [
      'an extension',
      {
        op: 'add',
        path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department',
        value: 'D',
      },
      {},
    ],
    [
      'a path with the schema',
      { op: 'replace', path: 'urn:ietf:params:scim:schemas:core:2.0:User:userName', value: 'babs' },
      { userName: 'babs' },
    ],
  ])('changes %s', (_name, operation, changes) => {
    expect(patch('User', user, operation)).toEqual({ ...user, ...changes });
  });

  it.each([
    ['noTarget', { op: 'remove' }],
    ['noTarget', { op: 'replace', path: 'emails[type eq "none"].value', value: 'x' }],
    ['mutability', { op: 'replace', path: 'id', value: 'x' }],
    ['mutability', { op: 'add', value: { groups: [] } }],
    ['invalidPath', { op: 'add', path: 'nothing', value: 'x' }],
    ['invalidPath', { op: 'add', path: '__proto__.x', value: 'x' }],
    ['invalidPath', { op: 'add', path: 'emails[', value: 'x' }],
    ['invalidPath', { op: 'add', path: 'userName[value eq "x"]', value: 'x' }],
    ['invalidFilter', { op: 'add', path: 'emails[type eq]', value: 'x' }],
    ['invalidSyntax', { op: 'move', path: 'userName' }],
    ['invalidValue', { op: 'add', value: 'x' }],
  ])('is refused as %s: %j', (type, operation) => {
    expect(() => patch('User', user, operation)).toThrow(expect.objectContaining({ status: 400, type }));
  });
});
