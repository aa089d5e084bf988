import { ScimFailed } from './scim-failed';
import { matches, parseFilter } from './scim-filter';

/** The person of RFC 7643, section 8.2, with the attributes that the filters of RFC 7644 use. */
const BJENSEN = {
  id: '2819c223-7f76-453a-919d-413861904646',
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  externalId: '701984',
  userName: 'bjensen',
  name: { familyName: "O'Malley", givenName: 'Barbara' },
  title: 'Tour Guide',
  userType: 'Employee',
  active: true,
  emails: [
    { value: 'bjensen@example.com', type: 'work', primary: true },
    { value: 'babs@jensen.org', type: 'home' },
  ],
  ims: [{ value: 'someaimhandle', type: 'xmpp' }],
  meta: { resourceType: 'User', lastModified: '2011-05-13T04:42:34Z' },
};

/** Every filter of RFC 7644, section 3.4.2.2, and whether it matches that person. */
const EXAMPLES: readonly (readonly [string, boolean])[] = [
  ['userName eq "bjensen"', true],
  ['userName Eq "BJENSEN"', true],
  [`name.familyName co "O'Malley"`, true],
  ['userName sw "J"', false],
  ['urn:ietf:params:scim:schemas:core:2.0:User:userName sw "J"', false],
  ['urn:ietf:params:scim:schemas:core:2.0:User:userName sw "bj"', true],
  ['title pr', true],
  ['nickName pr', false],
  ['meta.lastModified gt "2011-05-13T04:42:34Z"', false],
  ['meta.lastModified ge "2011-05-13T04:42:34Z"', true],
  ['meta.lastModified lt "2011-05-13T04:42:34Z"', false],
  ['meta.lastModified le "2011-05-13T04:42:34Z"', true],
  ['title pr and userType eq "Employee"', true],
  ['title pr or userType eq "Intern"', true],
  ['schemas eq "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"', false],
  ['userType eq "Employee" and (emails co "example.com" or emails.value co "example.org")', true],
  ['userType ne "Employee" and not (emails co "example.com" or emails.value co "example.org")', false],
  ['userType eq "Employee" and (emails.type eq "work")', true],
  ['userType eq "Employee" and emails[type eq "work" and value co "@example.com"]', true],
  ['emails[type eq "work" and value co "@example.com"] or ims[type eq "xmpp" and value co "@foo.com"]', true],
  ['emails[type eq "home" and value co "@example.com"]', false],
  ['externalId eq "701984"', true],
  ['active eq true', true],
  ['active eq false', false],
  ['userName ew "sen"', true],
  ['not (userName eq "bjensen")', false],
  ['externalId ne "701984"', false],
];

describe('a filter', () => {
  it.each(EXAMPLES)('of the RFC: %s', (filter, isMeant) => {
    expect(matches(parseFilter(filter), BJENSEN)).toBe(isMeant);
  });

  it.each([
    ...['userName', 'userName eq', 'userName eq "a" and', '(userName eq "a"', 'userName xx "a"', ''],
    ...[
      `userName eq "${'a'.repeat(3000)}"`,
      Array(60).fill('userName pr').join(' and '),
      `${'('.repeat(60)}a pr`,
    ],
  ])('that cannot be read, or is too long, is refused: %s', (filter) => {
    expect(() => parseFilter(filter)).toThrow(ScimFailed);
  });

  it('compares ids letter by letter, and no value with one of another type', () => {
    expect(matches(parseFilter('externalId eq "ABC"'), { externalId: 'abc' })).toBe(false);
    expect(matches(parseFilter('active eq "true"'), BJENSEN)).toBe(false);
  });
});
